//! Which files a look may write: looks that run at the same time have their own.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The numbers that are taken.
#[derive(Debug, Default)]
pub(super) struct Slots(Arc<Mutex<BTreeSet<usize>>>);

/// A number that nobody else has. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    number: usize,
    taken: Arc<Mutex<BTreeSet<usize>>>,
}

impl Slots {
    /// The lowest number that is free, from 1.
    pub(super) fn take(&self) -> Slot {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = (1..).find(|number| !taken.contains(number)).unwrap_or(usize::MAX);
        taken.insert(number);
        Slot { number, taken: Arc::clone(&self.0) }
    }
}

impl Slot {
    pub(super) fn number(&self) -> usize {
        self.number
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}
