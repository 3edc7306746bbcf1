//! How many wrong codes may be tried.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How many wrong ones may be tried in [`WHILE`].
const MOST: usize = 5;

/// The time in which tries are counted.
const WHILE: Duration = Duration::from_secs(60);

/// The wrong tries of the last minute, of all who try.
#[derive(Debug, Default)]
pub struct Tries {
    wrong: Mutex<VecDeque<Instant>>,
}

impl Tries {
    /// Whether so many were wrong that nobody may try for a while.
    #[must_use]
    pub fn are_used_up(&self) -> bool {
        let mut wrong = self.wrong();
        while wrong.front().is_some_and(|first| first.elapsed() >= WHILE) {
            wrong.pop_front();
        }
        wrong.len() >= MOST
    }

    /// Counts one more that was wrong.
    pub fn failed(&self) {
        self.wrong().push_back(Instant::now());
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn wrong(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
