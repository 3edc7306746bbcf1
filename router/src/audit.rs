//! The audit log: a row before a call and a row after it, in a file that only this router writes.
//!
//! What can't be written down is not run.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use home::Lock;
use protocol::{Code, Command, Millis, Outcome, Stopped};
use serde_json::{Value, json};

use crate::policy::Approved;
use crate::secrets::Secrets;

/// How many routers may share a home.
const MOST_ROUTERS: u32 = 64;

/// One router's audit log.
#[derive(Debug)]
pub struct Audit {
    file: Mutex<File>,
    path: PathBuf,
    secrets: Secrets,
    _lock: Lock,
}

impl Audit {
    /// Opens the first log under `folder` that no other router writes: `router-1.jsonl`, `router-2.jsonl`
    /// and so on.
    ///
    /// # Errors
    /// [`home::LockError`] when none can be opened.
    pub fn open(folder: &Path, secrets: Secrets) -> Result<Self, home::LockError> {
        let mut number = 1;
        let lock = loop {
            match Lock::take(&folder.join(format!("router-{number}.lock"))) {
                Err(home::LockError::Taken { .. }) if number < MOST_ROUTERS => number += 1,
                taken => break taken?,
            }
        };
        let path = folder.join(format!("router-{number}.jsonl"));
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|error| home::FileError::new("open", &path, error))?;
        Ok(Self { file: Mutex::new(file), path, secrets, _lock: lock })
    }

    /// Writes down what is about to run.
    ///
    /// # Errors
    /// `internal` when it can't be written; then it must not run.
    pub fn intent(&self, approved: &Approved, at: Millis) -> Result<(), Stopped> {
        let call = approved.call();
        self.write(&json!({
            "row": "intent",
            "at": at,
            "message_id": call.command.message_id,
            "session": call.command.envelope.session,
            "principal": call.command.envelope.principal,
            "action": call.skill.name(),
            "params": self.secrets.redact_object(call.command.params.clone()),
            "dry_run": call.dry_run.is_some(),
            "rule": approved.rule(),
        }))
        .map_err(|error| {
            Stopped::new(
                Code::Internal,
                format!(
                    "the audit log {} can't be written ({error}), so nothing was run",
                    self.path.display()
                ),
            )
        })
    }

    /// Writes down how a command ended.
    pub fn outcome(&self, command: &Command, outcome: &Outcome, at: Millis) {
        let (code, message) = match outcome {
            Outcome::Done(_) => (None, None),
            Outcome::Stopped(stopped) => {
                (Some(stopped.code), Some(self.secrets.redact(&stopped.message)))
            }
        };
        let row = json!({
            "row": "outcome",
            "at": at,
            "message_id": command.message_id,
            "action": command.action,
            "status": outcome.status(),
            "code": code,
            "message": message,
        });
        if let Err(error) = self.write(&row) {
            tracing::error!(%error, "an outcome is missing in {}", self.path.display());
        }
    }

    fn write(&self, row: &Value) -> std::io::Result<()> {
        let line = format!("{row}\n");
        // A std mutex: one short write. A poisoned file is still the file.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())
    }
}
