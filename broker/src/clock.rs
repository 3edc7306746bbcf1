//! The broker's clock, as this process knows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use protocol::Millis;

/// This machine's clock, corrected by its distance from the broker's. Clones share the correction.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead_ms: Arc<AtomicI64>,
}

impl Clock {
    /// The time by the broker's clock.
    #[must_use]
    pub fn now(&self) -> Millis {
        let ahead = self.ahead_ms.load(Ordering::Relaxed);
        Millis(Millis::of_this_machine().0.saturating_add_signed(ahead))
    }

    /// Takes over that the broker's clock showed `theirs` when this machine's showed `ours`.
    pub(crate) fn set(&self, theirs: Millis, ours: Millis) {
        let ahead = i64::try_from(i128::from(theirs.0) - i128::from(ours.0)).unwrap_or(0);
        self.ahead_ms.store(ahead, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_brokers_clock_in_both_directions() {
        let clock = Clock::default();
        let ours = Millis::of_this_machine();
        clock.set(Millis(ours.0 + 3_600_000), ours);
        assert!(clock.now().0 >= ours.0 + 3_600_000);
        clock.set(Millis(ours.0 - 3_600_000), ours);
        assert!(clock.now().0 < ours.0);
    }
}
