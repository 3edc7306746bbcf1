//! What the process that starts the driver gives up first, and with it the driver and the browser.
//!
//! A browser is a large program that strangers feed. Its own sandbox holds its pages; should one of them get out,
//! or should there be no such sandbox, as for root, the kernel still keeps it from everybody's files.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// The newest rules that are asked for; an older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V6;

/// Where programs, libraries, fonts and certificates are, and what the kernel tells of the machine.
const READABLE: [&str; 17] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/etc",
    "/nix/store",
    "/snap",
    "/proc",
    "/sys",
    "/var/cache/fontconfig",
    "/var/lib/fonts",
    "/var/lib/snapd",
    "/dev",
];

/// Devices that hold nothing, and the memory that processes of a browser share.
const WRITABLE: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"];

/// Holds this thread, and all that it starts, to what programs need and to `own`. `temp` is the folder that the last
/// of them is removed from. Says whether the kernel does so.
pub(super) fn enter(own: &[&Path], temp: &Path) -> Result<bool, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let run: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    let write = all & !AccessFs::Execute;
    let readable = READABLE.iter().map(PathBuf::from);
    let mut rules = Ruleset::default()
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(readable, run))?
        .add_rules(path_beneath_rules(WRITABLE, write))?
        .add_rules(path_beneath_rules(own, write))?;
    if let Ok(temp) = PathFd::new(temp) {
        // An empty folder is all that can be removed with this.
        rules = rules.add_rule(PathBeneath::new(temp, AccessFs::RemoveDir))?;
    }
    Ok(rules.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_types, reason = "that programs start is what is tried")]

    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_browser_reads_no_ones_files_and_runs_no_file_of_its_own() {
        let (temp, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (own, others) = (temp.path().join("own"), home.path().join("secret"));
        fs::create_dir(&own).unwrap();
        fs::write(&others, "secret").unwrap();
        std::thread::scope(|threads| {
            let held = threads.spawn(|| {
                assert!(enter(&[&own], temp.path()).unwrap(), "this kernel has no Landlock");
                fs::write(own.join("cookies"), "a=1").unwrap();
                assert_eq!(fs::read(own.join("cookies")).unwrap(), b"a=1");
                fs::read(&others).unwrap_err();
                fs::write(&others, "x").unwrap_err();
                fs::write(temp.path().join("beside"), "x").unwrap_err();
                assert!(Command::new("/bin/true").status().unwrap().success());
                fs::copy("/bin/true", own.join("true")).unwrap();
                Command::new(own.join("true")).status().unwrap_err();
                fs::remove_dir_all(&own).unwrap();
            });
            held.join().unwrap();
        });
        assert_eq!(fs::read_to_string(&others).unwrap(), "secret");
    }
}
