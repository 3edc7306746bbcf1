//! Starts the skill's program, or says why that cannot be.
#![expect(clippy::disallowed_types, reason = "this is where the sandbox makes its processes")]

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use nix::unistd::Pid;

use super::failure::{Failure, Trying};
use super::plan::Plan;
use crate::NotStarted;

/// Starts the program with its whole environment; stdin, stdout and stderr are the launcher's.
pub(super) fn start(plan: &Plan) -> Result<Pid, Failure> {
    let Some((program, arguments)) = plan.program.split_first() else {
        return Err(NotStarted::new("its command is empty", "name a program in skill.toml").into());
    };
    let envs = plan.env.iter().map(|(name, value)| (name, value));
    let mut command = Command::new(program);
    match spawn(command.args(arguments).env_clear().envs(envs)) {
        Ok(child) => {
            let id = i32::try_from(child.id()).map_err(io::Error::other);
            Ok(Pid::from_raw(id.trying("read the skill's process id")?))
        }
        Err(error) => Err(why(plan, program, &error).into()),
    }
}

/// How often, and after how long, a program is tried again that still counts as being written.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(5);

/// A program that was just written counts as being written while any process that was started meanwhile still has to
/// begin, wherever on the machine that is: a matter of moments.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..TRIES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(PAUSE),
            done => return done,
        }
    }
    command.spawn()
}

fn why(plan: &Plan, program: &str, error: &io::Error) -> NotStarted {
    let name = shown(plan, program);
    let path = Path::new(program);
    match error.raw_os_error() {
        Some(libc::ENOENT) if !program.contains('/') => NotStarted::new(
            format!("there is no program {name} in PATH"),
            format!("install {name} under /usr, or put ./{name} into the skill's folder"),
        ),
        Some(libc::ENOENT) if !path.exists() => NotStarted::new(
            format!("there is no file {name} in the skill's folder"),
            "add it, or correct `command` in skill.toml",
        ),
        Some(libc::ENOENT) => no_interpreter(&name, path),
        Some(libc::EACCES) if path.is_dir() => NotStarted::new(
            format!("{name} is a directory"),
            "name a program in `command` in skill.toml",
        ),
        Some(libc::EACCES) if !executable(path) => NotStarted::new(
            format!("{name} is not executable"),
            format!("run `chmod +x {name}` in the skill's folder"),
        ),
        Some(libc::EACCES) if interpreter(path).is_some() => no_interpreter(&name, path),
        Some(libc::ENOEXEC) => NotStarted::new(
            format!(
                "{name} is neither a script with a first line such as `#!/bin/sh` nor a program for this machine"
            ),
            "add that line, or build it for this machine",
        ),
        Some(libc::EAGAIN) => NotStarted::new(
            format!("{name} cannot be started: too many processes are running"),
            "let others end first, or raise the number of processes that this user may have",
        ),
        Some(libc::ETXTBSY) => NotStarted::new(
            format!("{name} is being written"),
            "close whatever has it open for writing, and try again",
        ),
        _ => NotStarted::new(format!("{name} cannot be started: {error}"), "try it by hand"),
    }
}

/// The file is there, but what should run it is not.
fn no_interpreter(name: &str, path: &Path) -> NotStarted {
    match interpreter(path) {
        Some(line) if line.ends_with('\r') => NotStarted::new(
            format!("the first line of {name} ends with a carriage return"),
            format!("save {name} with Unix line ends"),
        ),
        Some(line) => NotStarted::new(
            format!("{name} wants {line}, which cannot be run here"),
            format!("install it under /usr, or correct the first line of {name}"),
        ),
        None => NotStarted::new(
            format!("the loader or a library that {name} was built for is missing here"),
            "build it for this machine, or statically",
        ),
    }
}

/// What the first line of a script names after `#!`.
fn interpreter(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let line = line.trim_matches([' ', '\t']);
    Some(line.split([' ', '\t']).next().unwrap_or(line).to_owned())
}

fn executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

/// The program as its author wrote it.
fn shown(plan: &Plan, program: &str) -> String {
    let folders = [PathBuf::from("/skill"), plan.folder.clone()];
    let inner = folders.iter().find_map(|folder| Path::new(program).strip_prefix(folder).ok());
    match inner {
        Some(path) if path.as_os_str().is_empty() => "the skill's folder".to_owned(),
        Some(path) => path.display().to_string(),
        None => program.to_owned(),
    }
}
