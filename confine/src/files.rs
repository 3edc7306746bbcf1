//! Landlock: the files that the agent may touch, and that its signals and its abstract sockets stay with itself.

use std::path::{Path, PathBuf};

use home::Home;
use landlock::{
    ABI, Access, AccessFs, BitFlags, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::geteuid;

/// The newest rules that are asked for; an older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V8;

/// Where certificates, time zones and libraries are looked up, and names of machines. The file of name servers is
/// replaced when the network changes, so its folders are meant, wherever a system keeps it.
const READABLE: [&str; 16] = [
    "/run/systemd/resolve",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/share",
    "/usr/local/share/ca-certificates",
    "/var/lib/ca-certificates",
    "/nix/store",
    "/proc/self",
    "/etc/resolv.conf",
];

/// What of /etc is looked up: all that root reads there, for whom passwords and keys of others are no secret. Whoever is not
/// root reads /etc as a folder, so that a file of name servers that is replaced is still found.
const OF_ETC: [&str; 23] = [
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/passwd",
    "/etc/group",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/terminfo",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust",
    "/etc/crypto-policies",
];

/// The terminal, and devices that hold nothing.
const DEVICES: [&str; 4] = ["/dev/tty", "/dev/null", "/dev/random", "/dev/urandom"];

/// Holds this thread to the agent's files and to the folders that the owner has named; gives the version of Landlock
/// that does so.
pub(super) fn hold(home: &Home, named: &[PathBuf]) -> Result<i32, String> {
    let status = restrict(home, named).map_err(|error| error.to_string())?;
    match status.landlock {
        _ if status.ruleset == RulesetStatus::NotEnforced => {
            Err("this kernel has no Landlock".to_owned())
        }
        LandlockStatus::Available { effective_abi, .. } => Ok(effective_abi as i32),
        _ => Err("this kernel has no Landlock".to_owned()),
    }
}

fn restrict(home: &Home, named: &[PathBuf]) -> Result<landlock::RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    Ruleset::default()
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(own(home), all & !AccessFs::Execute))?
        .add_rules(path_beneath_rules(named, all & !AccessFs::Execute))?
        .add_rules(path_beneath_rules(readable(home), read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .restrict_self()
}

/// What is the agent's; behind a symbolic link, the folder that it points to.
fn own(home: &Home) -> Vec<PathBuf> {
    vec![home.workspace()]
}

/// Its settings, which only their owner changes, and what the system looks up. No folder that the home is in: what is allowed can't be taken back further below.
fn readable(home: &Home) -> Vec<PathBuf> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let router = whole(&home.router());
    let settings = home.agent_config().parent().map(whole);
    let of_etc = if geteuid().is_root() { &OF_ETC[..] } else { &["/etc"] };
    let paths = READABLE.iter().chain(of_etc).map(|path| whole(Path::new(path))).chain(settings);
    paths.filter(|path| !router.starts_with(path)).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_types, reason = "somebody has to be there for a signal")]

    use std::collections::BTreeMap;
    use std::fs;
    use std::net::ToSocketAddrs;
    use std::process::Command;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

    use testkit::TempHome;

    use super::*;

    #[test]
    fn its_own_folders_are_there_and_nothing_else_of_the_home_is() {
        let home = TempHome::new();
        for name in ["workspace/a", "agent/a", "router/a", ".env"] {
            home.put(name, "text");
        }
        let root = home.root().to_owned();
        std::thread::scope(|threads| {
            let held = threads.spawn(|| {
                hold(&home, &[]).unwrap();
                home::file::write(&root.join("workspace/a"), b"new").unwrap();
                assert_eq!(fs::read(root.join("workspace/a")).unwrap(), b"new");
                assert_eq!(fs::read(root.join("agent/a")).unwrap(), b"text");
                for name in ["agent/a", "agent/b"] {
                    fs::write(root.join(name), "new").unwrap_err();
                }
                fs::remove_file(root.join("agent/a")).unwrap_err();
                fs::rename(root.join("agent"), root.join("workspace/agent")).unwrap_err();
                for name in ["router/a", ".env"] {
                    fs::read(root.join(name)).unwrap_err();
                    fs::write(root.join(name), "new").unwrap_err();
                }
                fs::write(root.join("b"), "new").unwrap_err();
                fs::read_dir(&root).unwrap_err();
                fs::read_dir(root.parent().unwrap()).unwrap_err();
                fs::read("/proc/1/cmdline").unwrap_err();
                fs::write("/etc/safeclaw-was-here", "").unwrap_err();
                fs::write("/dev/null", "").unwrap();
                fs::read("/etc/passwd").unwrap();
                // As root only because of the rules.
                fs::read("/etc/shadow").unwrap_err();
                ("localhost", 80).to_socket_addrs().unwrap().next().unwrap();
            });
            held.join().unwrap();
        });
        assert_eq!((home.text("router/a"), home.text("agent/a")), ("text".into(), "text".into()));
    }

    #[test]
    fn a_folder_that_the_owner_has_named_is_there_as_well_and_those_beside_it_are_not() {
        let home = TempHome::new();
        let outside = tempfile::tempdir().unwrap();
        let (named, beside) = (outside.path().join("storms"), outside.path().join("beside"));
        for folder in [&named, &beside] {
            fs::create_dir(folder).unwrap();
        }
        std::thread::scope(|threads| {
            let held = threads.spawn(|| {
                hold(&home, std::slice::from_ref(&named)).unwrap();
                home::file::write(&named.join("a/b"), b"new").unwrap();
                fs::write(beside.join("b"), "new").unwrap_err();
                fs::read_dir(&beside).unwrap_err();
            });
            held.join().unwrap();
        });
        assert_eq!(fs::read(named.join("a/b")).unwrap(), b"new");
    }

    #[test]
    fn no_readable_folder_holds_the_home() {
        assert!(readable(&Home::at(Path::new("/tmp")).unwrap()).contains(&"/usr/share".into()));
        let folders = readable(&Home::at(Path::new("/usr/share")).unwrap());
        assert!(!folders.contains(&"/usr/share".into()) && folders.contains(&"/usr/lib".into()));
    }

    #[test]
    fn no_signal_leaves_it() {
        let home = TempHome::new();
        let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
        let (version, killed) = std::thread::scope(|threads| {
            let held = threads.spawn(|| (hold(&home, &[]).unwrap(), other.kill()));
            held.join().unwrap()
        });
        assert_eq!(killed.is_err(), version >= 6, "{killed:?}");
        let _ = other.kill();
        other.wait().unwrap();
    }

    #[test]
    fn a_kernel_without_landlock_is_said_to_have_none() {
        let home = TempHome::new();
        let held = std::thread::scope(|threads| {
            let held = threads.spawn(|| {
                let rules = BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]);
                let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
                let machine = std::env::consts::ARCH.try_into().unwrap();
                let old = SeccompFilter::new(rules, SeccompAction::Allow, missing, machine);
                apply_filter(&BpfProgram::try_from(old.unwrap()).unwrap()).unwrap();
                hold(&home, &[])
            });
            held.join().unwrap()
        });
        assert_eq!(held, Err("this kernel has no Landlock".to_owned()));
    }
}
