//! The way out to the people of a session.

use protocol::SessionKey;
use tokio::sync::mpsc;

use crate::channel::{Addressed, Outgoing};

/// Says things to whoever listens. Saying never waits: what a turn says is bounded by what a model may
/// write, and a channel that is slow must not hold a turn up.
#[derive(Debug, Clone)]
pub struct Outlet {
    session: SessionKey,
    sender: mpsc::UnboundedSender<Addressed>,
}

impl Outlet {
    /// The outlet of `session` and the end to listen at.
    #[must_use]
    pub fn new(session: SessionKey) -> (Self, mpsc::UnboundedReceiver<Addressed>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { session, sender }, receiver)
    }

    /// Says one thing. A channel that is gone hears nothing.
    pub fn say(&self, outgoing: Outgoing) {
        let _ = self.sender.send(Addressed { session: self.session.clone(), outgoing });
    }
}
