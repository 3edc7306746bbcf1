//! Attacks on files: the host's, its devices, and what the router has open.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use super::attack::Answer;
use super::target::Target;

/// Devices that can be opened without an effect.
const DEVICES: [&str; 5] = ["/dev/ptmx", "/dev/fuse", "/dev/kmsg", "/dev/mem", "/dev/net/tun"];

/// What every skill is given.
const GIVEN: [&str; 4] = ["PATH", "HOME", "TMPDIR", "LANG"];

/// Descriptors that a process could have inherited.
const DESCRIPTORS: std::ops::Range<i32> = 3..256;

pub(super) fn home(target: &Target) -> Answer {
    key(&target.home_file)
}

pub(super) fn owner(target: &Target) -> Answer {
    key(&target.owner_file)
}

fn key(file: &Result<PathBuf, String>) -> Answer {
    match file {
        Ok(path) => fs::read(path).map(|bytes| format!("read {} bytes", bytes.len())).into(),
        Err(why) => Answer::Moot(why.clone()),
    }
}

pub(super) fn write(target: &Target) -> Answer {
    let path = target.open_folder.join("written");
    let written = fs::write(&path, "x").map(|()| "wrote it".to_owned());
    // Whether it can be removed again changes nothing about that.
    let _ = fs::remove_file(path);
    written.into()
}

pub(super) fn devices(_: &Target) -> Answer {
    let opened = |path: &&str| File::open(path).or_else(|_| File::options().write(true).open(path));
    match DEVICES.iter().find(|path| opened(path).is_ok()) {
        Some(path) => Answer::Got(format!("opened {path}")),
        None => Answer::Refused("none could be opened".to_owned()),
    }
}

/// Closing succeeds for what is open alone, and this process has opened nothing.
pub(super) fn descriptors(_: &Target) -> Answer {
    let open = DESCRIPTORS.filter(|number| nix::unistd::close(*number).is_ok()).count();
    match open {
        0 => Answer::Refused("none was open".to_owned()),
        open => Answer::Got(format!("found {open} open")),
    }
}

pub(super) fn environment(target: &Target) -> Answer {
    let own = match target.outside {
        true => fs::read("/proc/self/environ").map(|own| names(&own)),
        // There the host's /proc is out of sight, so a shell tells.
        false => printed(),
    };
    let got = own.map(|own| own.into_iter().filter(|name| target.variables.contains(name)));
    match got.map(|got| got.collect::<Vec<_>>()) {
        Ok(got) if got.is_empty() => Answer::Refused("none was there".to_owned()),
        Ok(got) => Answer::Got(format!("found {}", got.join(", "))),
        Err(error) => Answer::Moot(format!("the environment can't be listed: {error}")),
    }
}

#[expect(clippy::disallowed_types, reason = "an attack that runs in the sandbox")]
fn printed() -> io::Result<BTreeSet<String>> {
    Ok(names(&std::process::Command::new("/usr/bin/env").arg("-0").output()?.stdout))
}

/// The names of variables that no skill is given, of a process's environment as the kernel shows it.
pub(super) fn names(environ: &[u8]) -> BTreeSet<String> {
    let variables = environ.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let names = variables.filter_map(|one| one.split_once('=').map(|(name, _)| name.to_owned()));
    names.filter(|name| !GIVEN.contains(&name.as_str())).collect()
}

/// Looks into every process but itself.
pub(super) fn environ(target: &Target) -> Answer {
    let me = std::process::id();
    let others = match fs::read_dir("/proc") {
        Ok(entries) => {
            entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
        }
        Err(_) => vec![1, target.victim, std::os::unix::process::parent_id()],
    };
    let read = |id: &u32| fs::read(format!("/proc/{id}/environ")).ok();
    let found = others
        .iter()
        .filter(|id| **id != me)
        .find_map(|id| Some((id, read(id).filter(|e| !e.is_empty())?)));
    match found {
        Some((id, environ)) => Answer::Got(format!("read {} bytes of process {id}", environ.len())),
        None => Answer::Refused(format!("none of {} processes let it", others.len())),
    }
}
