//! What the router says on its own, later than the reply.

use serde::{Deserialize, Serialize};

use crate::{MessageId, Millis, Object, SessionKey};

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// How a command that was pending has ended; `reply` holds it.
    Result,
    /// Something that the session should know.
    Notice,
}

/// One event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What it is about.
    pub event: EventKind,
    /// The session that it is for.
    pub session: SessionKey,
    /// When it happened.
    pub at: Millis,
    /// The command that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// For people, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// For [`EventKind::Result`]: the fields of the final reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Object>,
}
