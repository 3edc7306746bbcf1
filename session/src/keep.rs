//! Keeps what was said and done: first in memory, then on the disk.

use std::sync::Arc;

use conversation::workspace::SessionFiles;
use journal::{JournalEvent, Role};
use protocol::{Millis, Object};
use tokio::task::JoinHandle;

use super::{Outbox, Session};

/// How many observations are kept while events come and nobody says anything.
const OBSERVATIONS: usize = 16;

impl Session {
    /// Takes what was said into the history, until [`Self::keep`] in memory alone.
    pub fn remember(&self, message: &str, said: &str) {
        self.files.history.hold(|history| history.add(message, said.trim()));
        if !said.trim().is_empty() {
            let by = self.usage.as_ref().map_or("", |usage| usage.by.as_str());
            self.record(Role::Assistant, by, said.trim());
        }
    }

    /// Takes an event into the journal, until [`Self::keep`] in memory alone. A message has the time at which it was taken in, which
    /// no other has.
    pub fn record(&self, role: Role, from: &str, text: &str) {
        let is_message = matches!(role, Role::User | Role::Persona | Role::Program);
        let at = self.entered.asked.filter(|_| is_message);
        self.files.journal.hold(JournalEvent {
            at: at.unwrap_or_else(Millis::of_this_machine),
            role,
            from: from.to_owned(),
            text: text.to_owned(),
            bits: self.entered.taint(),
        });
    }

    /// Takes in what actions brought, until [`Self::keep`] in memory alone.
    pub fn observed(&self, mut fields: Vec<Object>) {
        fields.drain(..fields.len().saturating_sub(OBSERVATIONS));
        self.files.artifact.hold(|artifact| artifact.0 = fields);
    }

    /// Takes in what came later than the turn that wanted it: the next prompt shows it beside what the latest turn
    /// brought.
    pub fn observed_later(&self, fields: Object) {
        self.files.artifact.hold(|artifact| {
            artifact.0.push(fields);
            let too_many = artifact.0.len().saturating_sub(OBSERVATIONS);
            artifact.0.drain(..too_many);
        });
    }

    /// Brings what was said and done to the disk. The disk is slow, so that happens beside whatever is
    /// next; it is done when the handle says so, also if somebody else has begun it.
    pub fn keep(&self, outbox: &Outbox) -> JoinHandle<()> {
        let (files, outbox) = (Arc::clone(&self.files), outbox.clone());
        let was_kept = files.session.is_on_disk();
        files.session.hold(|entered| entered.clone_from(&self.entered));
        tokio::task::spawn_blocking(move || write(&files, was_kept, &outbox))
    }
}

fn write(files: &SessionFiles, was_kept: bool, outbox: &Outbox) {
    // The word on a text is there before the text is: a restart must not take it for the owner's.
    if let Err(error) = files.session.flush() {
        tracing::info!(%error, "what was said and done is kept in memory only");
        if was_kept {
            let told = format!("what was said and done can't be kept: {error}");
            outbox.say_fault(told);
        }
    }
    if !files.session.is_on_disk() {
        return;
    }
    if let Err(error) = files.journal.flush() {
        tracing::warn!(%error, "the journal is kept in memory only");
    }
    if let Err(error) = files.history.flush() {
        tracing::warn!(%error, "the history is kept in memory only");
    }
    for flushed in [files.artifact.flush(), files.task.flush()] {
        if let Err(error) = flushed {
            outbox.say_fault(error.to_string());
        }
    }
}
