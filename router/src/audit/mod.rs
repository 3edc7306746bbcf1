//! The audit log: a row before a call and a row after it, in files that only this router writes; and a row before what a
//! person does beside that, at the command line in a file of its own ([`OwnersLog`]).
//!
//! What can't be written down is not run. [`audit_log`] is the log itself.

mod acts;
mod deed;
mod owners;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use home::Lock;
use protocol::{Code, Command, Effect, Millis, Object, Outcome, Principal, Stopped};
use secrets::Secrets;
use serde_json::Value;

pub(crate) use acts::{Whose, acts, preview, previewed};
pub(crate) use deed::{Deed, Way};
pub(crate) use owners::{MYSELF, OwnersLog, Unrecorded};

use crate::audit_log::{ChainedLog, FULL, Files, Syncing};
use crate::policy::Approved;
use crate::policy::approval::{Parked, State};

/// How many routers may share a home.
const MOST_ROUTERS: u32 = 64;

/// Where the outcome of a permission says what was to be permitted.
const PERMITS: &str = "permits";

/// One router's audit log.
#[derive(Debug)]
pub struct Audit {
    log: Arc<ChainedLog>,
    path: PathBuf,
    secrets: Secrets,
    syncing: Syncing,
    _lock: Lock,
}

impl Audit {
    /// Opens the first log under `folder` that no other router writes (`router-1.jsonl`, `router-2.jsonl`
    /// and so on) and goes on with its chain.
    ///
    /// # Errors
    /// [`home::LockError`] when none can be opened.
    pub fn open(folder: &Path, secrets: Secrets) -> Result<Self, home::LockError> {
        Self::open_with(folder, secrets, FULL)
    }

    /// The same with files of about `full` bytes.
    ///
    /// # Errors
    /// The same.
    pub fn open_with(folder: &Path, secrets: Secrets, full: u64) -> Result<Self, home::LockError> {
        let mut number = 1;
        let (lock, files) = loop {
            let files = Files::new(folder, number);
            match Lock::take(&files.lock()) {
                Err(home::LockError::Taken { .. }) if number < MOST_ROUTERS => number += 1,
                taken => break (taken?, files),
            }
        };
        let path = files.current();
        let log = ChainedLog::open(files, full, Millis::of_this_machine());
        let log = log.map_err(|error| home::FileError::new("open", &path, error))?;
        let log = Arc::new(log);
        let syncing = Syncing::start(Arc::clone(&log));
        let syncing = syncing.map_err(|error| home::FileError::new("sync", &path, error))?;
        Ok(Self { log, path, secrets, syncing, _lock: lock })
    }

    /// Writes down what is about to run. Before something that is seen elsewhere or can't be taken back, it
    /// is on the disk when this returns.
    ///
    /// # Errors
    /// `internal` when it can't be written; then it must not run.
    pub async fn intent(&self, approved: &Approved, at: Millis) -> Result<(), Stopped> {
        let call = approved.call();
        let mut row = serde_json::json!({
            "row": "intent",
            "at": at,
            "message_id": call.command.message_id,
            "session": call.command.envelope.session,
            "begun": call.command.envelope.begun,
            "principal": call.command.envelope.principal,
            "action": call.skill.name(),
            "params": self.secrets.redact_object(call.command.params.clone()),
            "dry_run": call.dry_run.is_some(),
            "rule": approved.rule(),
        });
        traced(&mut row, &call.command);
        self.write(row).map_err(|error| self.not_run(&error))?;
        if matches!(call.effect(), Effect::External | Effect::Irreversible) {
            self.sync().await.map_err(|error| self.not_run(&error))?;
        }
        Ok(())
    }

    /// Writes down what `by` is about to do by a channel. What allows more than one call is on the disk when this returns;
    /// before what a yes to one call does, its intent is.
    ///
    /// # Errors
    /// `internal` when it can't be written; then it must not be done, and only a stop is all the same.
    pub(crate) async fn deed(
        &self,
        deed: &Deed<'_>,
        by: Option<&Principal>,
        at: Millis,
    ) -> Result<(), Stopped> {
        let row = deed.row(by.map(Principal::as_str), Way::Channel, at, None);
        let row = Value::Object(self.secrets.redact_object(row));
        self.write(row).map_err(|error| self.not_run(&error))?;
        if matches!(deed, Deed::Grant(_)) {
            self.sync().await.map_err(|error| self.not_run(&error))?;
        }
        Ok(())
    }

    /// Writes down what has become of a question: who said what to exactly what.
    pub(crate) fn answered(&self, id: &str, parked: &Parked, at: Millis) {
        let (answer, by) = match &parked.state {
            State::Yes { by } => ("yes", Some(by)),
            State::No { by } => ("no", Some(by)),
            State::Waiting | State::TakenUp { .. } => ("none", None),
        };
        let command = &parked.command;
        let mut row = serde_json::json!({
            "row": "answer",
            "at": at,
            "message_id": command.message_id,
            "session": command.envelope.session,
            "begun": command.envelope.begun,
            "principal": command.envelope.principal,
            "action": command.action,
            "params": self.secrets.redact_object(command.params.clone()),
            "question": id,
            "digest": parked.digest,
            "answer": answer,
            "by": by,
        });
        traced(&mut row, command);
        if let Err(error) = self.write(row) {
            tracing::error!(%error, "an answer is missing in {}", self.path.display());
        }
    }

    /// Writes down how a command ended.
    pub fn outcome(&self, command: &Command, outcome: &Outcome, at: Millis) {
        let (code, message) = match outcome {
            Outcome::Done(_) => (None, None),
            Outcome::Stopped(stopped) => {
                (Some(stopped.code), Some(self.secrets.redact(&stopped.message)))
            }
        };
        let mut row = serde_json::json!({
            "row": "outcome",
            "at": at,
            "message_id": command.message_id,
            "session": command.envelope.session,
            "begun": command.envelope.begun,
            "action": command.action,
            "status": outcome.status(),
            "code": code,
            "message": message,
        });
        traced(&mut row, command);
        if let Some(meant) = permitted(command) {
            row[PERMITS] = self.secrets.redact(meant).into();
        }
        if let Err(error) = self.write(row) {
            tracing::error!(%error, "an outcome is missing in {}", self.path.display());
        }
    }

    /// The folder of all logs of this home.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn not_run(&self, error: &std::io::Error) -> Stopped {
        let path = self.path.display();
        let why = format!("the audit log {path} can't be written ({error}), so nothing was run");
        Stopped::new(Code::Internal, why)
    }

    fn write(&self, row: Value) -> std::io::Result<()> {
        let row = match row {
            Value::Object(row) => row,
            other => Object::from_iter([("value".to_owned(), other)]),
        };
        self.log.append(&row)?;
        self.syncing.soon();
        Ok(())
    }

    async fn sync(&self) -> std::io::Result<()> {
        let log = Arc::clone(&self.log);
        tokio::task::spawn_blocking(move || log.sync()).await.map_err(std::io::Error::other)?
    }
}

/// Names the message in a row that asked for `command`.
fn traced(row: &mut Value, command: &Command) {
    if let Some(trace) = command.envelope.trace() {
        row["trace"] = trace.to_string().into();
    }
}

/// The action that `command` wants permitted.
fn permitted(command: &Command) -> Option<&str> {
    (command.action.as_str() == "PERMIT").then(|| command.params.get("action")?.as_str())?
}

#[cfg(test)]
mod tests;
