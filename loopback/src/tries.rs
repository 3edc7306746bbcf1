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
    /// Counts one more that was wrong, and says whether so many are allowed. One that is not allowed does not count.
    #[must_use]
    pub fn may_fail(&self) -> bool {
        let mut wrong = self.wrong();
        while wrong.front().is_some_and(|first| first.elapsed() >= WHILE) {
            wrong.pop_front();
        }
        let may = wrong.len() < MOST;
        if may {
            wrong.push_back(Instant::now());
        }
        may
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn wrong(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
