//! On which terms a router serves a queue.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use protocol::sign::Keys;

/// On which terms a router serves a queue. Routers that share one should agree on all but `slots`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// How many commands it serves at a time. With more than one, the last is kept free for interactive
    /// ones.
    pub slots: usize,
    /// How many commands may wait in a lane. What is over it is answered `queue_full`, the oldest first.
    pub waiting_most: usize,
    /// How often it says that it lives.
    pub beat: Duration,
    /// After how long without a sign of life others take over what it had in its hands.
    pub dead_after: Duration,
    /// A folder in which the routers of one home say under which names they serve, each process in a file that it holds
    /// locked. What one that was killed had in its hands is taken over at once by the next one here. None waits for
    /// `dead_after`, as for routers elsewhere.
    pub lives: Option<PathBuf>,
    /// A command without a deadline that has waited this long with no router alive is not run. Zero means that
    /// it is.
    pub stale_after: Duration,
    /// What it signs with, and what commands must be signed with that are signed. Without keys it looks at no
    /// signature.
    pub keys: Option<Arc<Keys>>,
    /// Whether commands that are not signed are refused. It has no meaning without keys.
    pub require_signature: bool,
}

impl Default for Terms {
    /// 8 slots, 1,000 waiting, a sign of life each second, dead after 15 s, stale after 10 s (how long the first
    /// SafeClaw's agent waits), no folder, no keys.
    fn default() -> Self {
        Self {
            slots: 8,
            waiting_most: protocol::WAITING_MOST,
            beat: Duration::from_secs(1),
            dead_after: Duration::from_secs(15),
            lives: None,
            stale_after: Duration::from_secs(10),
            keys: None,
            require_signature: false,
        }
    }
}

impl Terms {
    /// How long all routers together may be silent before they have not watched each other without a break. An outage that
    /// is shorter leaves each of them as much time to speak again before it counts as dead.
    pub(super) fn silence(&self) -> Duration {
        self.dead_after / 2
    }

    /// How many slots are kept for interactive commands.
    pub(super) fn reserved(&self) -> usize {
        usize::from(self.slots > 1)
    }
}
