//! The way out to the people of a session.

use tokio::sync::mpsc;

use crate::channel::Outgoing;

/// Says things to whoever listens. Saying never waits: what a turn says is bounded by what a model may
/// write, and a channel that is slow must not hold a turn up.
#[derive(Debug, Clone)]
pub struct Outlet {
    sender: mpsc::UnboundedSender<Outgoing>,
}

impl Outlet {
    /// An outlet and the end to listen at.
    #[must_use]
    pub fn new() -> (Self, mpsc::UnboundedReceiver<Outgoing>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender }, receiver)
    }

    /// Says one thing. A channel that is gone hears nothing.
    pub fn say(&self, outgoing: Outgoing) {
        let _ = self.sender.send(outgoing);
    }
}
