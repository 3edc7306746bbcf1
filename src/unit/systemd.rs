//! Asks systemd by its own programs.
#![expect(clippy::disallowed_types, reason = "systemd is asked by its own programs")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::process::{Command, ExitStatus, Stdio};

/// Whose systemd is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The user's own, which needs no rights.
    User,
    /// The machine's.
    System,
}

/// Why systemd did not do something.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SystemdError {
    /// The program is not there.
    #[error(
        "{0} is not there: this machine has no systemd. `{again}` shows the unit, for another supervisor to do the same",
        again = home::command("service install --print")
    )]
    Missing(&'static str),
    /// It could not be started.
    #[error("{0} can't be started: {1}")]
    Start(&'static str, io::Error),
    /// It does not run, or not for this user.
    #[error(
        "systemd does not answer ({why}): log in as the user that it is for, or install it with --system; where no systemd runs, \
        `{again}` shows the unit, for another supervisor to do the same",
        again = home::command("service install --print")
    )]
    Absent {
        /// Its own words.
        why: String,
    },
    /// It said no.
    #[error("systemd refused `{asked}`: {why}")]
    Refused {
        /// What it was asked.
        asked: String,
        /// Its own words.
        why: String,
    },
}

/// What systemctl says where it has nobody to talk to.
const NO_BUS: &str = "Failed to connect to bus";

/// One systemd.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Systemd {
    scope: Scope,
}

impl Systemd {
    /// That of this scope.
    pub(crate) fn of(scope: Scope) -> Self {
        Self { scope }
    }

    /// Has `systemctl` do something.
    pub(crate) fn control<A: AsRef<OsStr>>(self, words: &[A]) -> Result<String, SystemdError> {
        self.run("systemctl", words)
    }

    /// The properties of a unit that are asked for.
    pub(crate) fn properties(
        self,
        unit: &str,
        names: &[&str],
    ) -> Result<BTreeMap<String, String>, SystemdError> {
        let shown = self.control(&["show", "--property", &names.join(","), unit])?;
        let pairs = shown.lines().filter_map(|line| line.split_once('='));
        Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Makes the users that a file of sysusers.d names.
    pub(crate) fn make_users(self, file: &OsStr) -> Result<(), SystemdError> {
        self.run("systemd-sysusers", &[file]).map(drop)
    }

    /// Whether the user's units run without a login.
    pub(crate) fn lingers(self) -> bool {
        let shown =
            Self { scope: Scope::System }.run("loginctl", &["show-user", "--property=Linger"]);
        shown.is_ok_and(|shown| shown.trim() == "Linger=yes")
    }

    /// Shows what `units` have logged, on this process's own output, until a person has seen enough.
    pub(crate) fn logs(
        self,
        units: &[String],
        count: u32,
        follows: bool,
    ) -> Result<ExitStatus, SystemdError> {
        let mut command = self.command("journalctl");
        command.arg("--lines").arg(count.to_string());
        command.args(units.iter().flat_map(|unit| ["--unit", unit]));
        command.args(follows.then_some("--follow"));
        command.status().map_err(|error| failed("journalctl", error))
    }

    fn run<A: AsRef<OsStr>>(
        self,
        program: &'static str,
        words: &[A],
    ) -> Result<String, SystemdError> {
        let mut command = self.command(program);
        let output = command.args(words).stdin(Stdio::null()).output();
        let output = output.map_err(|error| failed(program, error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let words = words.iter().map(|word| word.as_ref().to_string_lossy());
        let asked = std::iter::once(program.into()).chain(words).collect::<Vec<_>>().join(" ");
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.lines().map(str::trim).filter(|line| !line.is_empty());
        let why = why.collect::<Vec<_>>().join(" ");
        match why.contains(NO_BUS) {
            true => Err(SystemdError::Absent { why }),
            false => Err(SystemdError::Refused { asked, why }),
        }
    }

    fn command(self, program: &'static str) -> Command {
        let mut command = Command::new(program);
        let is_scoped = matches!(program, "systemctl" | "journalctl");
        command.args((is_scoped && self.scope == Scope::User).then_some("--user"));
        command
    }
}

fn failed(program: &'static str, error: io::Error) -> SystemdError {
    match error.kind() {
        io::ErrorKind::NotFound => SystemdError::Missing(program),
        _ => SystemdError::Start(program, error),
    }
}
