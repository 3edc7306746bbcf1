//! Which signed commands this router has begun, whatever the server remembers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::Millis;

/// How many are known before those that can't come again are looked for.
const LOOK: usize = 1_024;

/// The macs of signed commands that have been begun, each until it is too late to begin it.
#[derive(Debug, Default)]
pub(super) struct Begun(Mutex<HashMap<String, Millis>>);

impl Begun {
    /// Takes a command in; false when it is known.
    pub(super) fn is_new(&self, mac: &str, until: Millis, now: Millis) -> bool {
        let mut known = self.lock();
        // Only when it would have to grow, so that it costs little for each.
        if known.len() >= LOOK && known.len() == known.capacity() {
            known.retain(|_, until| *until >= now);
        }
        known.insert(mac.to_owned(), until).is_none()
    }

    /// Whether a command was taken in here.
    pub(super) fn knows(&self, mac: &str) -> bool {
        self.lock().contains_key(mac)
    }

    /// It was not begun after all, and comes again.
    pub(super) fn forget(&self, mac: &str) {
        self.lock().remove(mac);
    }

    // A std mutex, because it is never held across an await. Poisoned, the map is still whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Millis>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_new_once() {
        let begun = Begun::default();
        assert!(begun.is_new("a", Millis(9), Millis(1)) && begun.is_new("b", Millis(9), Millis(1)));
        assert!(!begun.is_new("a", Millis(9), Millis(1)));
        assert!(begun.knows("a") && !begun.knows("c"));
        begun.forget("a");
        assert!(begun.is_new("a", Millis(9), Millis(1)));
    }

    #[test]
    fn what_can_not_come_again_is_forgotten() {
        let begun = Begun::default();
        for n in 0..100_000_u64 {
            assert!(begun.is_new(&n.to_string(), Millis(n + 10), Millis(n)));
        }
        assert!(begun.lock().len() < 8 * LOOK, "{}", begun.lock().len());
        assert!(!begun.is_new("99999", Millis(100_009), Millis(99_999)));
    }
}
