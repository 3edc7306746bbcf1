//! Who waits for an answer.

use std::sync::atomic::{AtomicBool, Ordering};

use protocol::{OWNER, SessionKey};

/// The people of a session, who wait for one answer.
#[derive(Debug)]
pub struct Hearer {
    session: SessionKey,
    has_seen: AtomicBool,
}

impl Hearer {
    /// The people of this session.
    #[must_use]
    pub fn of(session: &SessionKey) -> Self {
        Self { session: session.clone(), has_seen: AtomicBool::new(false) }
    }

    /// Their session.
    #[must_use]
    pub fn session(&self) -> &SessionKey {
        &self.session
    }

    /// They are shown words of the answer, which can't be taken back.
    pub fn sees(&self) {
        self.has_seen.store(true, Ordering::Relaxed);
    }

    /// Whether they were shown words of the answer. What a model writes to itself, and actions, are none.
    #[must_use]
    pub fn has_seen(&self) -> bool {
        self.has_seen.load(Ordering::Relaxed)
    }

    /// Whether it is the owner who hears it. Guests are told neither where the owner's servers are nor what mends them.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        self.session.as_str() == OWNER
    }
}
