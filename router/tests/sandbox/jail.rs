//! A skill's folder, a launcher and a program to run in it, for tests.

use std::fs::{self, File, Permissions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use router::sandbox::{Job, Launcher, Lent, Level, Limits, Program, RunError, SelfCommand};
use seccompiler::{SeccompAction, SeccompFilter, apply_filter};
use tempfile::TempDir;

/// The binary under test: beside this one where the battery was copied for another user.
pub fn start_router() -> PathBuf {
    let beside = std::env::current_exe().unwrap().with_file_name("start_router");
    if beside.exists() { beside } else { PathBuf::from(env!("CARGO_BIN_EXE_start_router")) }
}

/// Refuses `calls` to this thread and to all processes that it starts, as a container's profile does.
pub fn refuse(calls: &[i64], errno: i32) {
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let machine = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine).unwrap();
    let program: seccompiler::BpfProgram = filter.try_into().unwrap();
    apply_filter(&program).unwrap();
}

/// One skill and the launcher that runs it.
pub struct Jail {
    pub launcher: Arc<Launcher>,
    pub home: TempDir,
    pub limits: Limits,
    pub net: Option<PathBuf>,
    pub lent: Vec<Lent>,
    pub marker: String,
}

impl Jail {
    /// At the level that the machine allows, which must be the tightest.
    pub async fn new() -> Self {
        let jail = Self::at_any_level().await;
        assert_eq!(jail.launcher.found().level, Level::Namespaces, "{:?}", jail.launcher.found());
        jail
    }

    /// The same with a sandbox that stands ready for the next call.
    pub async fn standing_ready() -> Self {
        let mut jail = Self::new().await;
        let launcher = Arc::into_inner(jail.launcher).unwrap().standing_ready();
        jail.launcher = Arc::new(launcher);
        jail.program("#!/bin/sh\n", 0o755);
        jail.run(b"").await.unwrap();
        let begun = Instant::now();
        while jail.launcher.ready() == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "none stands ready");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        jail
    }

    /// At the level of a machine that refuses namespaces; from then on this thread is such a machine.
    pub async fn without_namespaces() -> Self {
        refuse(&[libc::SYS_unshare], libc::EPERM);
        let jail = Self::at_any_level().await;
        assert_eq!(jail.launcher.found().level, Level::LandlockOnly, "{:?}", jail.launcher.found());
        jail
    }

    pub async fn at_any_level() -> Self {
        let me = SelfCommand { exe: start_router(), prefix: Vec::new() };
        let launcher = Launcher::open(me, &std::env::temp_dir()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        fs::set_permissions(home.path(), Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(home.path().join("skill")).unwrap();
        let limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
        let marker = format!("marker-{}", home.path().file_name().unwrap().display());
        Self { launcher: Arc::new(launcher), home, limits, net: None, lent: Vec::new(), marker }
    }

    pub fn folder(&self) -> PathBuf {
        self.home.path().join("skill")
    }

    pub fn log_path(&self) -> PathBuf {
        self.home.path().join("skill.log")
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// A file of the host beside the skill, readable for everybody.
    pub fn beside(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Puts a program into the skill's folder.
    pub fn program(&self, text: &str, mode: u32) {
        let path = self.folder().join("run");
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    pub fn job(&self) -> Job {
        Job {
            program: Program::Command(vec!["./run".to_owned(), self.marker.clone()]),
            folder: self.folder(),
            lent: self.lent.clone(),
            env: vec![("SAFECLAW_SKILL".to_owned(), "TEST".to_owned())],
            mark: String::new(),
            limits: self.limits.clone(),
            net: self.net.clone(),
        }
    }

    pub async fn run(&self, input: &[u8]) -> Result<String, RunError> {
        let output = self.launcher.once(&self.job(), input, &self.log_path()).await?;
        Ok(String::from_utf8(output).unwrap())
    }

    /// Runs a shell script.
    pub async fn sh(&self, script: &str) -> Result<String, RunError> {
        self.program(&format!("#!/bin/sh\n{script}\n"), 0o755);
        self.run(b"").await
    }

    /// Runs a Python program.
    pub async fn python(&self, script: &str) -> Result<String, RunError> {
        assert!(
            Path::new("/usr/bin/python3").exists(),
            "these tests need /usr/bin/python3: install the package python3"
        );
        self.program(&format!("#!/usr/bin/python3\n{PRELUDE}\n{script}\n"), 0o755);
        self.run(b"").await
    }

    /// How many processes of this skill are running on the host.
    pub fn running(&self) -> usize {
        let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        lines.filter(|line| String::from_utf8_lossy(line).contains(&self.marker)).count()
    }

    /// Waits until no process of this skill is left.
    pub fn wait_until_gone(&self) {
        wait_until("the skill's processes are gone", || self.running() == 0);
    }
}

/// What the Python programs use: `tried(f)` is what `f` gave, or the name of its error.
const PRELUDE: &str = r#"
import ctypes, errno, mmap, os, signal, socket, sys, time
def tried(f, *args):
    try:
        return f(*args)
    except OSError as error:
        return errno.errorcode[error.errno]
    except Exception as error:
        return type(error).__name__
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args])
    return errno.errorcode[ctypes.get_errno()] if got < 0 else "allowed"
"#;

/// Waits for a condition that must come true.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited 30 s until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A file that every process which this one starts inherits, as one that a library forgot to protect.
pub fn leaking_descriptor(path: &Path) -> OwnedFd {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    let file = OwnedFd::from(File::open(path).unwrap());
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
    file
}
