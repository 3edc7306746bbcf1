//! A workbench that a test speaks with.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use seccompiler::{SeccompAction, SeccompFilter};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An ordinary user.
const USER: u32 = 12_345;

/// The binary under test.
pub fn start_router() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_start_router"))
}

/// A home, a project, and a secret beside it.
pub struct Place {
    folder: TempDir,
    user: Option<u32>,
    exe: PathBuf,
}

/// A place with a running workbench.
pub struct Desk {
    place: Arc<Place>,
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Place {
    /// For `user`, or for whoever runs the tests.
    fn new(user: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        for name in ["project", "home", "tmp"] {
            fs::create_dir(path(name)).unwrap();
        }
        fs::write(path("secret"), "the secret").unwrap();
        let mut exe = start_router();
        if user.is_some() {
            fs::copy(&exe, path("start_router")).unwrap();
            exe = path("start_router");
            for name in ["project", "home", "tmp", "secret"] {
                chown(path(name), user, user).unwrap();
            }
        }
        Self { folder, user, exe }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name).canonicalize().unwrap()
    }
    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// The words that start a workbench here.
    pub fn words(&self) -> Vec<String> {
        let home = self.path("home").display().to_string();
        let exe = self.exe.display().to_string();
        [&exe, "--home", &home, "work", "--stdio", &self.project().display().to_string()]
            .map(str::to_owned)
            .into()
    }

    pub fn start(self, more: &[&str]) -> Desk {
        Desk::at(Arc::new(self), more)
    }
}

impl Desk {
    /// A place alone.
    pub fn prepared() -> Place {
        Place::new(None)
    }

    pub fn open() -> Self {
        Self::prepared().start(&[])
    }

    /// The same as an ordinary user; nothing where the tests are one's already.
    pub fn open_as_user() -> Option<Self> {
        nix::unistd::geteuid().is_root().then(|| Place::new(Some(USER)).start(&[]))
    }

    /// The same as an ordinary user, on a machine that refuses namespaces.
    pub fn open_without_namespaces() -> Self {
        let refusing = || {
            let rules = [(libc::SYS_unshare, Vec::new())].into_iter().collect();
            let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
            let machine = std::env::consts::ARCH.try_into().unwrap();
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine).unwrap();
            let program: seccompiler::BpfProgram = filter.try_into().unwrap();
            seccompiler::apply_filter(&program).unwrap();
            let user = nix::unistd::geteuid().is_root().then_some(USER);
            Place::new(user).start(&[])
        };
        std::thread::spawn(refusing).join().unwrap()
    }

    fn at(place: Arc<Place>, more: &[&str]) -> Self {
        let words = place.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(more).env("TMPDIR", place.path("tmp"));
        if let Some(user) = place.user {
            command.uid(user).gid(user);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let stdin = process.stdin.take();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        Self { place, process, stdin, stdout }
    }

    /// Another one at the same place.
    pub fn again(self, more: &[&str]) -> Self {
        let place = Arc::clone(&self.place);
        drop(self);
        Self::at(place, more)
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    pub fn project(&self) -> PathBuf {
        self.place.project()
    }

    /// The answer to one line.
    pub fn line(&mut self, line: &str) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{line}: {error}: {answer:?}"))
    }

    pub fn run(&mut self, env: &str, command: &str) -> Value {
        self.line(&json!({"env": env, "command": command}).to_string())
    }

    /// The output of a command, which must be taken.
    pub fn says(&mut self, env: &str, command: &str) -> String {
        let answer = self.run(env, command);
        assert_eq!(answer["response"]["processed"], true, "{command}: {answer}");
        answer["response"]["output"].as_str().unwrap().to_owned()
    }

    /// Closes its stdin, and gives its exit code.
    pub fn close(&mut self) -> Option<i32> {
        self.stdin = None;
        self.process.wait().unwrap().code()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.close();
    }
}
