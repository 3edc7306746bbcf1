//! Who waits for an answer.

use protocol::SessionKey;

use crate::workspace::OWNER;

/// The people of a session, who wait for an answer.
#[derive(Debug)]
pub struct Hearer {
    session: SessionKey,
}

impl Hearer {
    /// The people of this session.
    #[must_use]
    pub fn of(session: &SessionKey) -> Self {
        Self { session: session.clone() }
    }

    /// Their session.
    #[must_use]
    pub fn session(&self) -> &SessionKey {
        &self.session
    }

    /// Whether it is the owner who hears it. Guests are told neither where the owner's servers are nor what mends them.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        self.session.as_str() == OWNER
    }
}
