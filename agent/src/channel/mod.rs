//! Where people talk with the agent.
//!
//! A channel speaks with the rest of the agent through a pair of queues: what people say goes in, what the
//! agent says comes out. Nothing calls into a channel.

pub mod console;
pub mod http;
#[cfg(feature = "telegram")]
pub mod telegram;

mod origin;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
pub use origin::Origin;
use protocol::{Principal, SessionKey};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::question::{Decision, Question};
use crate::slash::{Ends, SlashCommand};

/// The longest message, in bytes, about 64,000 tokens: a pasted log or page. Whether the model has room for it is said by its
/// endpoint, which knows the window.
pub const MAX_MESSAGE: usize = 256 * 1024;

/// A way to talk with people.
#[async_trait]
pub trait Channel: Send {
    /// Its name, which principals of its people and keys of their sessions begin with.
    fn name(&self) -> &'static str;

    /// Whether the owner may be here: then all that is said in the owner's session is heard here.
    fn is_owners(&self) -> bool {
        true
    }

    /// Carries words in both directions until the people, or the agent, have ended it.
    ///
    /// # Errors
    /// [`ChannelError`] when the channel itself fails; other channels go on.
    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError>;
}

/// A channel's connection to the sessions of the people whom it reaches.
#[derive(Debug)]
pub struct Line {
    /// What people say.
    pub incoming: mpsc::Sender<Incoming>,
    /// What the agent says in the sessions that people have here. It ends when the agent does.
    pub outgoing: mpsc::UnboundedReceiver<Addressed>,
}

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

/// One thing that came in over a channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// The mark that [`Outgoing::Begin`] and [`Outgoing::Queued`] bring back.
    pub ticket: Ticket,
    /// The session that it belongs to. The channel knows: `owner`, if it has made sure that it is the owner,
    /// else one that is that chat's alone.
    pub session: SessionKey,
    /// Who it came from.
    pub from: Principal,
    /// The kind of speaker, which decides what the words may do.
    pub origin: Origin,
    /// What it is.
    pub said: Said,
}

impl Incoming {
    /// Returns `true` unless somebody else than a person gives a command, answers a question or stops a turn.
    pub(crate) fn may_come(&self) -> bool {
        self.origin.is_person() || matches!(self.said, Said::Message(_))
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

/// What came in.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A message to the model.
    Message(String),
    /// A command to the agent itself. Only a person gives one.
    Command(SlashCommand),
    /// An answer to a question. Nothing but a person's own input makes one of these.
    Answer(Decision),
    /// The wish to stop the turn that runs.
    Stop,
}

impl Said {
    /// What a person typed: a command if it begins with a slash, else a message.
    #[must_use]
    pub fn typed(text: impl Into<String>) -> Self {
        let text = text.into();
        match SlashCommand::read(&text) {
            Some(command) => Self::Command(command),
            None => Self::Message(text),
        }
    }

    /// The words of a message or a command.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Message(text) => Some(text),
            Self::Command(command) => Some(command.text()),
            Self::Answer(_) | Self::Stop => None,
        }
    }

    /// What it ends at once.
    #[must_use]
    pub fn ends(&self) -> Ends {
        match self {
            Self::Command(command) => command.ends(),
            Self::Stop => Ends::Turn,
            Self::Message(_) | Self::Answer(_) => Ends::Nothing,
        }
    }
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
    /// An action has ended: one line.
    #[serde(serialize_with = "as_text")]
    Action(String),
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
    /// A message of the agent's own to whoever this channel is set to reach; it belongs to no turn.
    #[serde(serialize_with = "as_text")]
    Broadcast(String),
    /// The turn is over; the next message can come.
    End,
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

/// A channel that can't go on.
#[derive(Debug, thiserror::Error)]
#[error("the {channel} channel has failed: {reason}")]
pub struct ChannelError {
    /// Which channel.
    pub channel: &'static str,
    /// What happened.
    pub reason: String,
}
