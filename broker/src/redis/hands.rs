//! What a router has in its hands: taken from the queue and not ended yet.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::MessageId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The commands in a router's hands, by the field that each has in the hash on the server. Fields are counted
/// up over all lives of the process, so none is ever used twice.
#[derive(Debug, Default)]
pub(super) struct Hands {
    held: Mutex<BTreeMap<u64, Held>>,
    /// The first field that no claim has used whose answer came.
    unclaimed: AtomicU64,
    freed: Notify,
}

/// One command in hand.
#[derive(Debug, Clone)]
pub(super) struct Held {
    /// The life of the router that took it.
    pub(super) router: Arc<str>,
    pub(super) field: u64,
    pub(super) id: Option<MessageId>,
    /// How often it has been begun, this time included.
    pub(super) attempt: u32,
    /// The command as it came.
    pub(super) body: Arc<[u8]>,
    /// Is cancelled when nobody waits for it, or when it is lost.
    pub(super) cancelled: CancellationToken,
    /// Is cancelled when it has been taken away, so that it is another router's to answer.
    pub(super) lost: CancellationToken,
}

impl Hands {
    pub(super) fn take(&self, held: Held) {
        self.held().insert(held.field, held);
    }

    /// The first field that the next claim may use.
    pub(super) fn unclaimed(&self) -> u64 {
        self.unclaimed.load(Ordering::Acquire)
    }

    /// The `count` fields from the first unclaimed one on have been used, or never will be. What a claim brought
    /// must be in hand by then: whatever lies below on the server and is not in hand counts as forgotten.
    pub(super) fn use_up(&self, count: usize) {
        self.unclaimed.fetch_add(count as u64, Ordering::AcqRel);
    }

    pub(super) fn let_go(&self, field: u64) {
        self.held().remove(&field);
        self.freed.notify_one();
    }

    /// How many of `slots` are free; waits until it is one.
    pub(super) async fn room(&self, slots: usize) -> usize {
        loop {
            let freed = self.freed.notified();
            let room = slots.saturating_sub(self.held().len());
            if room > 0 {
                return room;
            }
            freed.await;
        }
    }

    /// Waits until something more has been let go of.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// What is in hand, the oldest first.
    pub(super) fn all(&self) -> Vec<Held> {
        self.held().values().cloned().collect()
    }

    /// Nobody waits for this one any more.
    pub(super) fn cancel(&self, field: u64) {
        if let Some(held) = self.held().get(&field) {
            held.cancelled.cancel();
        }
    }

    /// This one is another router's now.
    pub(super) fn lose(&self, field: u64) {
        if let Some(held) = self.held().get(&field) {
            held.lost.cancel();
            held.cancelled.cancel();
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, the map is still whole.
    fn held(&self) -> MutexGuard<'_, BTreeMap<u64, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
