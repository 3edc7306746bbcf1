//! What a router has in its hands: taken from the queue and not ended yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::MessageId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::seal::Seal;

/// The commands in a router's hands, by the field that each has in the hash on the server. Fields are counted
/// up over all lives of the process, so none is ever used twice.
#[derive(Debug, Default)]
pub(super) struct Hands {
    held: Mutex<BTreeMap<u64, Held>>,
    fields: Mutex<Fields>,
    freed: Notify,
}

/// Which fields claims have used.
#[derive(Debug, Default)]
struct Fields {
    next: u64,
    /// The first field of each claim whose answer has not come.
    asked: BTreeSet<u64>,
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
    /// What it is signed with.
    pub(super) seal: Seal,
    /// It has left its slot to others.
    pub(super) takes_long: bool,
    /// Is cancelled when nobody waits for it, or when it is lost.
    pub(super) cancelled: CancellationToken,
    /// Is cancelled when it has been taken away, so that it is another router's to answer.
    pub(super) lost: CancellationToken,
}

impl Hands {
    pub(super) fn take(&self, held: Held) {
        lock(&self.held).insert(held.field, held);
    }

    /// Sets `count` fields aside for one claim, and gives the first.
    pub(super) fn ask(&self, count: usize) -> u64 {
        let mut fields = lock(&self.fields);
        let first = fields.next;
        fields.next += count as u64;
        fields.asked.insert(first);
        first
    }

    /// The claim that began at `first` has been answered, or never will be: what it brought is in hand. Whatever
    /// else stands under its fields on the server is there without this router's knowing.
    pub(super) fn answered(&self, first: u64) {
        lock(&self.fields).asked.remove(&first);
    }

    /// All fields below this one are in hand, or are not known of.
    pub(super) fn settled(&self) -> u64 {
        let fields = lock(&self.fields);
        fields.asked.first().copied().unwrap_or(fields.next)
    }

    /// This one leaves its slot to others.
    pub(super) fn takes_long(&self, field: u64) {
        if let Some(held) = lock(&self.held).get_mut(&field) {
            held.takes_long = true;
        }
        self.freed.notify_one();
    }

    /// How many may be in hand where so many have a slot: those that take long have none.
    pub(super) fn slots(&self, slots: usize) -> usize {
        slots + lock(&self.held).values().filter(|held| held.takes_long).count()
    }

    pub(super) fn let_go(&self, field: u64) {
        lock(&self.held).remove(&field);
        self.freed.notify_one();
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        lock(&self.held).len()
    }

    /// Waits until one more has been let go of.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// What is in hand, the oldest first.
    pub(super) fn all(&self) -> Vec<Held> {
        lock(&self.held).values().cloned().collect()
    }

    /// Nobody waits for this one any more.
    pub(super) fn cancel(&self, field: u64) {
        if let Some(held) = lock(&self.held).get(&field) {
            held.cancelled.cancel();
        }
    }

    /// This one is another router's now.
    pub(super) fn lose(&self, field: u64) {
        if let Some(held) = lock(&self.held).get(&field) {
            held.lost.cancel();
            held.cancelled.cancel();
        }
    }
}

// Std mutexes, because they are never held across an await. Poisoned, what they hold is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
