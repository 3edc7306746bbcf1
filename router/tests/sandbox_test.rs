//! `start_router sandbox test` on this machine and on one that refuses namespaces, as root and as an ordinary
//! user: it tells what held, and it tells what does not.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_types)]

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::Value;
use tempfile::TempDir;
use testkit::copy_program;

/// A user without any power.
const ORDINARY: u32 = 12_345;

/// What only root can do even without the sandbox, or what depends on the machine's own switches and devices.
const MAY_BE_UNTRIED: [&str; 11] = [
    "bpf",
    "core dump",
    "devices",
    "environment",
    "modules",
    "perf",
    "ptrace",
    "raw socket",
    "raw socket +net",
    "setuid",
    "tcp",
];

/// What a machine without namespaces has none of. Its filter forbids new powers, too.
const WITHOUT_NAMESPACES: [&str; 10] = [
    "abstract socket +net",
    "loopback +net",
    "mount",
    "proxy",
    "raw socket +net",
    "set-user-id",
    "tcp +net",
    "udp +net",
    "unix socket +net",
    "user namespace",
];

/// A home, and the program where everybody can run it.
struct Place {
    folder: TempDir,
    user: Option<u32>,
}

/// What the command said.
struct Said {
    code: Option<i32>,
    level: String,
    leaked: BTreeSet<String>,
    untried: BTreeSet<String>,
    contained: usize,
    whole: String,
}

impl Place {
    fn of(user: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        copy_program(env!("CARGO_BIN_EXE_start_router"), folder.path().join("start_router"));
        for name in ["home", "owner", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            chown(folder.path().join(name), user, user).unwrap();
        }
        Self { folder, user }
    }

    fn command(&self) -> Command {
        let path = |name| self.folder.path().join(name);
        let mut command = Command::new(path("start_router"));
        command.args(["--home".as_ref(), path("home").as_os_str()]).args(["sandbox", "test"]);
        command.env("HOME", path("owner")).env("TMPDIR", path("tmp")).current_dir(path("tmp"));
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    fn json(&self) -> Said {
        let output = self.command().arg("--json").output().unwrap();
        let whole = String::from_utf8(output.stdout).unwrap();
        let report: Value = serde_json::from_str(&whole)
            .unwrap_or_else(|_| panic!("{whole}{}", String::from_utf8_lossy(&output.stderr)));
        let named = |verdict: &str| {
            let findings = report["findings"].as_array().unwrap().iter();
            let these = findings.filter(|finding| finding["verdict"] == verdict);
            these.map(|finding| finding["attack"].as_str().unwrap().to_owned()).collect()
        };
        let contained: BTreeSet<String> = named("contained");
        Said {
            code: output.status.code(),
            level: report["level"].as_str().unwrap().to_owned(),
            leaked: named("leaked"),
            untried: named("not_tried"),
            contained: contained.len(),
            whole,
        }
    }

    /// Whether nothing that was made for the attacks is left.
    fn is_clean(&self) -> bool {
        ["home", "owner", "tmp"]
            .iter()
            .all(|name| fs::read_dir(self.folder.path().join(name)).unwrap().next().is_none())
    }
}

/// Makes this thread, and what it starts, a machine that refuses namespaces.
fn refuse_namespaces() {
    let rules = [(libc::SYS_unshare, Vec::new())].into_iter().collect();
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let machine = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine).unwrap();
    apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

/// Whoever runs the tests, and an ordinary user where that is root.
fn users() -> Vec<Option<u32>> {
    let ordinary = nix::unistd::geteuid().is_root().then_some(Some(ORDINARY));
    [Some(None), ordinary].into_iter().flatten().collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

#[test]
fn nothing_leaks_in_namespaces() {
    for user in users() {
        let place = Place::of(user);
        let said = place.json();
        assert_eq!((said.level.as_str(), said.code), ("namespaces", Some(0)), "{}", said.whole);
        assert_eq!(said.leaked, set([]), "{}", said.whole);
        assert!(said.untried.is_subset(&set(MAY_BE_UNTRIED)), "{:?}: {}", said.untried, said.whole);
        assert!(said.contained >= 30, "{}", said.whole);
        assert!(place.is_clean());
    }
}

/// The sum of what a skill writes is the one thing that takes namespaces to bound.
#[test]
fn without_namespaces_the_disk_leaks_and_is_told() {
    refuse_namespaces();
    for user in users() {
        let place = Place::of(user);
        let said = place.json();
        assert_eq!((said.level.as_str(), said.code), ("landlock_only", Some(1)), "{}", said.whole);
        assert_eq!(said.leaked, set(["disk"]), "{}", said.whole);
        let may = &set(MAY_BE_UNTRIED) | &set(WITHOUT_NAMESPACES);
        assert!(said.untried.is_subset(&may), "{:?}: {}", &said.untried - &may, said.whole);
        assert!(place.is_clean());
    }
}

#[test]
fn what_does_not_work_without_the_sandbox_is_not_called_contained() {
    let place = Place::of(None);
    let gone = place.folder.path().join("gone");
    let output = place.command().env("HOME", &gone).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find(|line| line.contains("a key file below")).unwrap();
    assert!(line.starts_with("not tried  owner "), "{said}");
    assert!(line.contains("no file can be made in"), "{said}");
    assert!(said.ends_with("\nlevel: namespaces, Landlock and seccomp\n"), "{said}");
}
