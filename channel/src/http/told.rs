//! One thing that is told in a session, with its number and its time.

use protocol::Millis;
use serde_json::{Value, json};

use crate::{Outgoing, Ticket};

/// What is told, and when.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// Its number: each is higher than all before it.
    pub(super) id: u64,
    /// When it came to the channel, by this machine's clock.
    pub(super) at: Millis,
    /// What it is.
    pub(super) what: What,
}

/// What is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    /// A message that was sent over this channel, before it is answered.
    Sent {
        /// Its mark.
        ticket: Ticket,
        /// The text.
        text: String,
    },
    /// Which model wrote the answer whose end comes next.
    Wrote(String),
    /// Something that the agent says.
    Says(Outgoing),
}

impl What {
    /// The mark of the message that it belongs to, if it names one.
    pub(super) fn ticket(&self) -> Option<Ticket> {
        match self {
            Self::Sent { ticket, .. }
            | Self::Says(
                Outgoing::Begin { ticket, .. }
                | Outgoing::Queued { ticket, .. }
                | Outgoing::Refused { ticket, .. }
                | Outgoing::Aside { ticket, .. },
            ) => Some(*ticket),
            Self::Wrote(_) | Self::Says(_) => None,
        }
    }

    /// It as programs read it.
    pub(super) fn json(&self) -> Value {
        match self {
            Self::Sent { text, .. } => json!({"type": "sent", "text": text}),
            Self::Wrote(by) => json!({"type": "wrote", "by": by}),
            Self::Says(outgoing) => serde_json::to_value(outgoing).unwrap_or_default(),
        }
    }

    /// How much memory it takes, about, in bytes.
    pub(super) fn size(&self) -> usize {
        const FIXED: usize = 128;
        let words = match self {
            Self::Sent { text, .. } => text.len(),
            Self::Says(Outgoing::Words(text)) => text.len(),
            other => other.json().to_string().len(),
        };
        FIXED + words
    }
}

impl Told {
    /// It as the page reads it: with its time, and the mark of its message.
    pub(super) fn page_json(&self) -> Value {
        let mut value = self.what.json();
        if let Some(object) = value.as_object_mut() {
            object.insert("at".to_owned(), self.at.0.into());
            if let Some(ticket) = self.what.ticket() {
                object.insert("ticket".to_owned(), ticket.to_string().into());
            }
        }
        value
    }
}
