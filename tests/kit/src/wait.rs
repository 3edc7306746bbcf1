//! Waits for a condition instead of for a time.

use std::thread;
use std::time::{Duration, Instant};

/// After this long a test is taken to hang. It is no measure of speed: nothing that works comes near it.
const BOUND: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// Blocks until `condition` is true.
///
/// # Panics
/// After a minute, with `what` was waited for.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < BOUND, "waited for {BOUND:?} in vain until {what}");
        thread::sleep(PAUSE);
    }
}

/// The same for asynchronous tests: whatever else runs on this thread goes on meanwhile.
///
/// # Panics
/// After a minute, with `what` was waited for.
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !condition().await {
        assert!(start.elapsed() < BOUND, "waited for {BOUND:?} in vain until {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
