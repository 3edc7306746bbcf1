//! What was asked, and what came of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An answer that takes longer is late.
pub(crate) const LATE: Duration = Duration::from_secs(2);

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Load {
    /// A command that a program puts on the queue.
    Command,
    /// A message to the model, with and without an action.
    Turn,
    /// A question, from the message to what came of the yes.
    Question,
    /// A reminder, from the moment for which it was set.
    Reminder,
    /// A line that begins with a slash.
    Slash,
}

impl Load {
    pub(crate) const ALL: [Self; 5] =
        [Self::Command, Self::Turn, Self::Question, Self::Reminder, Self::Slash];

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Command => "commands of programs, on the queue",
            Self::Turn => "turns with the model",
            Self::Question => "questions, up to what the yes does",
            Self::Reminder => "reminders",
            Self::Slash => "slash commands",
        }
    }
}

/// The count of one load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) asked: u64,
    pub(crate) answered: u64,
    /// Of those that were answered: with something else than `ok`, as after a kill.
    pub(crate) not_ok: u64,
    pub(crate) late: u64,
    pub(crate) lost: u64,
    pub(crate) twice: u64,
    /// The longest wait.
    pub(crate) longest: Duration,
}

/// All counts. It is shared by who asks.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<Load, Count>>);

impl Tally {
    pub(crate) fn asked(&self, load: Load) {
        self.change(load, |count| count.asked += 1);
    }

    pub(crate) fn answered(&self, load: Load, after: Duration, ok: bool) {
        self.change(load, |count| {
            count.answered += 1;
            count.not_ok += u64::from(!ok);
            count.late += u64::from(after > LATE);
            count.longest = count.longest.max(after);
        });
    }

    pub(crate) fn lost(&self, load: Load, what: &str) {
        eprintln!("lost: {what}");
        self.change(load, |count| count.lost += 1);
    }

    pub(crate) fn twice(&self, load: Load, what: &str) {
        eprintln!("told twice: {what}");
        self.change(load, |count| count.twice += 1);
    }

    /// All kinds with their counts.
    pub(crate) fn counts(&self) -> Vec<(Load, Count)> {
        let counts = self.lock();
        Load::ALL.map(|load| (load, counts.get(&load).copied().unwrap_or_default())).into()
    }

    fn change(&self, load: Load, change: impl FnOnce(&mut Count)) {
        change(self.lock().entry(load).or_default());
    }

    // A std mutex, because it is never held across an await. Poisoned, the counts are still whole.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Load, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
