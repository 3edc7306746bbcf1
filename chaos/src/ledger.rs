//! What agents sent, and what they heard.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// What all agents of a run have noted.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Notes>);

/// The notes, by id and by mark.
#[derive(Debug, Default, Clone)]
pub(crate) struct Notes {
    pub(crate) commands: BTreeMap<String, Entry>,
    /// Payloads that are no commands, by the mark in each: whether the server took it.
    pub(crate) malformed: BTreeMap<String, Fate>,
}

/// One command.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Whether it may run once at most.
    pub(crate) once: bool,
    pub(crate) fate: Fate,
    /// Whether its agent waited long for a reply, and knows how to get one whatever breaks.
    pub(crate) patient: bool,
    /// All replies that came, in order.
    pub(crate) heard: Vec<Value>,
}

/// What an agent knows of whether the queue has something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Unknown,
    Accepted,
    /// It was told that this surely was not run.
    Refused,
}

impl Ledger {
    /// A command is about to be sent.
    pub(crate) fn sending(&self, id: &str, once: bool) {
        let entry = Entry { once, fate: Fate::Unknown, patient: false, heard: Vec::new() };
        self.notes().commands.entry(id.to_owned()).or_insert(entry);
    }

    /// The queue has it. Once it does, no later word changes that.
    pub(crate) fn accepted(&self, id: &str) {
        self.change(id, |entry| entry.fate = Fate::Accepted);
    }

    /// Whoever sent this waits as long as it takes.
    pub(crate) fn patient(&self, id: &str) {
        self.change(id, |entry| entry.patient = true);
    }

    pub(crate) fn refused(&self, id: &str) {
        self.change(id, |entry| {
            if entry.fate == Fate::Unknown {
                entry.fate = Fate::Refused;
            }
        });
    }

    pub(crate) fn heard(&self, id: &str, reply: Value) {
        self.change(id, |entry| {
            entry.fate = Fate::Accepted;
            entry.heard.push(reply);
        });
    }

    pub(crate) fn malformed(&self, mark: &str, fate: Fate) {
        self.notes().malformed.insert(mark.to_owned(), fate);
    }

    /// How many commands the queue has taken, and how many of those have been answered to an agent.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let notes = self.notes();
        let accepted = notes.commands.values().filter(|entry| entry.fate == Fate::Accepted);
        let heard = notes.commands.values().filter(|entry| !entry.heard.is_empty());
        (accepted.count(), heard.count())
    }

    pub(crate) fn all(&self) -> Notes {
        self.notes().clone()
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.notes().commands.get_mut(id) {
            change(entry);
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, the notes are still whole.
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
