//! How long to wait for a Redis that is gone.

use std::time::Duration;

/// Between attempts: this long at first, and at most [`MOST`].
const LEAST: Duration = Duration::from_millis(50);
const MOST: Duration = Duration::from_secs(2);

/// The pause before the next attempt, doubled each time.
#[derive(Debug)]
pub(in crate::redis) struct BackOff(Duration);

impl BackOff {
    pub(in crate::redis) fn new() -> Self {
        Self(LEAST)
    }

    pub(in crate::redis) fn reset(&mut self) {
        self.0 = LEAST;
    }

    pub(in crate::redis) async fn pause(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = (self.0 * 2).min(MOST);
    }
}
