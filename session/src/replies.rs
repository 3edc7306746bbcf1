//! What the owner says or stops in the conversation of somebody else.

use std::sync::{Arc, Mutex, PoisonError};

use conversation::message::Receipt;
use protocol::{Principal, SessionKey};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Takes the owner's words to another conversation. What is said before anybody listens waits.
#[derive(Debug, Clone)]
pub struct Replies {
    sender: UnboundedSender<OwnersReply>,
    receiver: Arc<Mutex<Option<UnboundedReceiver<OwnersReply>>>>,
}

/// Words for another conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnersReply {
    /// The conversation.
    pub to: SessionKey,
    /// Who says it.
    pub from: Principal,
    /// What is wanted there.
    pub wish: OwnersWish,
}

/// What the owner wants in another conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnersWish {
    /// That this is said; the receipt tells whether people have it.
    Say(String, Receipt),
    /// That what runs there is stopped.
    Stop,
}

impl Default for Replies {
    fn default() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver: Arc::new(Mutex::new(Some(receiver))) }
    }
}

impl Replies {
    /// Says `reply`.
    pub fn say(&self, reply: OwnersReply) {
        // Where nobody listens any more the agent ends.
        let _ = self.sender.send(reply);
    }

    /// What is said; `None` for everybody but the first who listens.
    pub fn listen(&self) -> Option<UnboundedReceiver<OwnersReply>> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
