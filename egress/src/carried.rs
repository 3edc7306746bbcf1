//! How much has gone over a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that went to a host and came from it, on the wire: what TLS adds counts as well. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Carried(Arc<[AtomicU64; 2]>);

impl Carried {
    /// The bytes sent and received by now.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        let [sent, received] = &*self.0;
        (sent.load(Ordering::Relaxed), received.load(Ordering::Relaxed))
    }

    /// Whether its connection is over: what was counted by now is all.
    #[must_use]
    pub fn is_over(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    pub(crate) fn sent(&self, count: usize) {
        self.0[0].fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn received(&self, count: usize) {
        self.0[1].fetch_add(count as u64, Ordering::Relaxed);
    }
}
