//! One reader of a session, and its queue. A reader that is too slow for its queue is told so and hears nothing more: an
//! answer with a gap in it is never taken for a whole one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use protocol::SessionKey;
use tokio::sync::mpsc;

use super::hub::Floor;
use super::told::{Told, What};
use crate::{Outgoing, Ticket};

/// How much may wait for one reader, in bytes of memory: more than any model's answer takes with all of its pieces.
const BEHIND: usize = 8 * 1024 * 1024;

/// What a reader wants to hear of its session.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    /// Everything.
    All,
    /// What belongs to the message with this ticket, up to its end.
    Answer(Ticket),
}

/// The hub's end of a reader's queue.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) id: u64,
    wanted: Wanted,
    /// Its message is being answered.
    has_begun: bool,
    queue: mpsc::UnboundedSender<Arc<Told>>,
    behind: Arc<Behind>,
}

/// How far a reader is behind.
#[derive(Debug, Default)]
struct Behind {
    /// What waits for it, in bytes of memory.
    bytes: AtomicUsize,
    /// Something did not fit any more.
    has_missed: AtomicBool,
}

/// The reader's end.
#[derive(Debug)]
pub(super) struct Ear {
    id: u64,
    session: SessionKey,
    floor: Floor,
    queue: mpsc::UnboundedReceiver<Arc<Told>>,
    behind: Arc<Behind>,
}

/// What an ear hears next.
#[derive(Debug)]
pub(super) enum Next {
    /// Something is said.
    Said(Arc<Told>),
    /// The reader was too slow. It hears nothing more.
    Missed,
    /// Nothing any more.
    Over,
}

impl Listener {
    /// Both ends of the queue of a reader in `session`.
    pub(super) fn new(id: u64, wanted: Wanted, session: SessionKey, floor: Floor) -> (Self, Ear) {
        let (sender, queue) = mpsc::unbounded_channel();
        let behind = Arc::<Behind>::default();
        let ear = Ear { id, session, floor, queue, behind: Arc::clone(&behind) };
        (Self { id, wanted, has_begun: false, queue: sender, behind }, ear)
    }

    /// Hears what is said in its session; `false` when it will want nothing more of it.
    pub(super) fn hear(&mut self, told: &Arc<Told>) -> bool {
        if !self.wants(&told.what) {
            return true;
        }
        let size = told.what.size();
        let waiting = self.behind.bytes.fetch_add(size, Ordering::AcqRel);
        // What waits alone fits, however long it is.
        if waiting > 0 && waiting + size > BEHIND {
            self.behind.has_missed.store(true, Ordering::Release);
            return false;
        }
        self.queue.send(Arc::clone(told)).is_ok() && !self.is_last(&told.what)
    }

    /// Whether it hears all that is said in its session.
    pub(super) fn hears_all(&self) -> bool {
        matches!(self.wanted, Wanted::All)
    }

    /// An answer begins with what is said of its message's waiting.
    fn wants(&mut self, what: &What) -> bool {
        let Wanted::Answer(ticket) = self.wanted else { return true };
        let What::Says(outgoing) = what else { return false };
        match outgoing {
            Outgoing::Begin { ticket: of, .. } => {
                self.has_begun |= *of == ticket;
                *of == ticket
            }
            Outgoing::Queued { ticket: of, .. }
            | Outgoing::Refused { ticket: of, .. }
            | Outgoing::Aside { ticket: of, .. } => *of == ticket,
            Outgoing::Reminder { .. } => false,
            _ => self.has_begun,
        }
    }

    fn is_last(&self, what: &What) -> bool {
        let What::Says(outgoing) = what else { return false };
        matches!(self.wanted, Wanted::Answer(_))
            && matches!(outgoing, Outgoing::End | Outgoing::Refused { .. } | Outgoing::Aside { .. })
    }
}

impl Ear {
    /// The session that it listens to.
    pub(super) fn session(&self) -> &SessionKey {
        &self.session
    }

    /// The next thing that is said.
    pub(super) async fn next(&mut self) -> Next {
        match self.queue.recv().await {
            Some(told) => {
                self.behind.bytes.fetch_sub(told.what.size(), Ordering::AcqRel);
                Next::Said(told)
            }
            None if self.behind.has_missed.load(Ordering::Acquire) => Next::Missed,
            None => Next::Over,
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.floor.forget(&self.session, self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(outgoing: Outgoing) -> Arc<Told> {
        Arc::new(Told { id: 1, at: protocol::Millis(1), what: What::Says(outgoing) })
    }

    fn ear() -> (Listener, Ear) {
        let session = SessionKey::new("owner").unwrap();
        Listener::new(1, Wanted::All, session, Floor::default())
    }

    #[tokio::test]
    async fn who_is_too_slow_hears_what_came_in_time_and_then_that_some_was_missed() {
        let (mut listener, mut ear) = ear();
        let words = told(Outgoing::Words("x".repeat(1_000)));
        let room = BEHIND / words.what.size();
        for _ in 0..room {
            assert!(listener.hear(&words));
        }
        assert!(!listener.hear(&words), "there is no room for it");
        drop(listener);
        for _ in 0..room {
            assert!(matches!(ear.next().await, Next::Said(_)));
        }
        assert!(matches!(ear.next().await, Next::Missed));
    }

    #[tokio::test]
    async fn who_reads_on_has_room_again_and_one_long_thing_always_fits() {
        let (mut listener, mut ear) = ear();
        let long = told(Outgoing::Text("x".repeat(2 * BEHIND)));
        for _ in 0..3 {
            assert!(listener.hear(&long));
            assert!(matches!(ear.next().await, Next::Said(_)));
        }
    }

    #[tokio::test]
    async fn who_is_fast_enough_hears_that_it_is_over() {
        let (mut listener, mut ear) = ear();
        assert!(listener.hear(&told(Outgoing::End)));
        drop(listener);
        assert!(matches!(ear.next().await, Next::Said(_)));
        assert!(matches!(ear.next().await, Next::Over));
    }
}
