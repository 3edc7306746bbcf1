//! Messages as plain data: who speaks, and everything that the agent says.

mod action_line;
mod origin;
mod receipt;

use std::fmt;
use std::path::{Path, PathBuf};

use protocol::{Principal, SessionKey};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use uuid::Uuid;

pub use action_line::ActionLine;
pub use origin::Origin;
pub use receipt::{Receipt, Reports, taken};

use crate::question::Question;

/// The channel's own mark on a message, by which it knows the message again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket(Uuid);

impl Ticket {
    /// One that nothing else has.
    #[expect(clippy::new_without_default, reason = "no two are the same")]
    #[must_use]
    pub fn new() -> Self {
        Self(Uuid::new_v4())
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.simple().fmt(f)
    }
}

/// What the agent says, and in which session. Every channel that people of that session use hears it.
#[derive(Debug, Clone, PartialEq)]
pub struct Addressed {
    /// The session.
    pub session: SessionKey,
    /// What is said there.
    pub outgoing: Outgoing,
}

/// One thing that the agent says. As JSON it is an object with the variant's name as its `type`: this is what programs and
/// pages read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outgoing {
    /// A message is being answered now. What comes from here to [`Self::End`] belongs to it, except what the
    /// router says on its own. Who has not said it here learns by it what was said elsewhere.
    Begin {
        /// The mark that its channel gave it.
        #[serde(skip)]
        ticket: Ticket,
        /// Who said it.
        from: Principal,
        /// What was said.
        text: String,
    },
    /// A message waits for others of its session.
    Queued {
        /// The mark that its channel gave it.
        #[serde(skip)]
        ticket: Ticket,
        /// How many will be answered before it.
        ahead: usize,
    },
    /// A message is not taken, and will not be answered.
    Refused {
        /// The mark that its channel gave it.
        #[serde(skip)]
        ticket: Ticket,
        /// Why, and what to do.
        #[serde(rename = "message")]
        why: String,
    },
    /// A command did not wait for the turn that runs: this is all that it has to say.
    Aside {
        /// The mark that its channel gave it.
        #[serde(skip)]
        ticket: Ticket,
        /// The text.
        text: String,
    },
    /// The agent is at work: what it waits for.
    #[serde(serialize_with = "as_text")]
    Working(String),
    /// The same, when it takes long: how long by now, and how long it may. It comes again and again.
    #[serde(serialize_with = "as_text")]
    Waiting(String),
    /// A piece of the answer, as it comes.
    #[serde(serialize_with = "as_text")]
    Words(String),
    /// An action has ended.
    Action(ActionLine),
    /// What was wanted has not been done, or not all of it; what was said before tells why.
    Failed,
    /// Something about the agent itself that people should know.
    #[serde(serialize_with = "as_text")]
    Notice(String),
    /// A whole text that is no answer of the model, such as that of a slash command.
    #[serde(serialize_with = "as_text")]
    Text(String),
    /// A person is asked whether something may run.
    Question(Question),
    /// A question is open no more: by whom it was answered, and how, in words.
    Settled {
        /// The question's id.
        id: String,
        /// One line.
        #[serde(rename = "text")]
        how: String,
    },
    /// A picture that an action has made, for channels that can show one; its path was said in words, too.
    #[serde(serialize_with = "as_path")]
    Picture(PathBuf),
    /// A file that was asked for.
    #[serde(serialize_with = "as_path")]
    File(PathBuf),
    /// A message of the agent's own to whoever this channel is set to reach; it belongs to no turn.
    Broadcast {
        /// The message.
        text: String,
        /// Hears what becomes of it.
        #[serde(skip)]
        receipt: Receipt,
    },
    /// What belongs to no turn: a job is due, a customer's question is for a person, or the owner replies to one.
    Reminder {
        /// The mark that the clock gave it.
        #[serde(skip)]
        ticket: Ticket,
        /// What is said.
        text: String,
        /// Hears what becomes of it.
        #[serde(skip)]
        receipt: Receipt,
    },
    /// Another conversation goes on here: what was said before is put away or forgotten.
    Switched,
    /// The turn is over; the next message can come.
    End,
}

impl Outgoing {
    /// Somebody has it: says so to whoever waits to hear that.
    pub fn taken(&self) {
        if let Self::Broadcast { receipt, .. } | Self::Reminder { receipt, .. } = self {
            receipt.taken();
        }
    }
}

// Serde hands what it serialises over by reference.
fn as_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    one(serializer, "text", text)
}

fn as_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    one(serializer, "path", &path.display().to_string())
}

fn one<S: Serializer>(serializer: S, key: &str, value: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}
