//! Where people talk with the agent.
//!
//! A channel speaks with the rest of the agent through a pair of queues: what people say goes in, what the
//! agent says comes out. Nothing calls into a channel.

pub mod clock;
pub mod console;
mod dropped;
pub mod http;
mod kind;
#[cfg(feature = "telegram")]
pub mod telegram;

use async_trait::async_trait;
use conversation::question::Decision;
use mind::slash::{Ends, SlashCommand};
use protocol::{Principal, SessionKey};
use schedule::Due;
use tokio::sync::mpsc;
use words::Words;

pub use dropped::Files as GivenFiles;

pub use conversation::message::{ActionLine, Addressed, Origin, Outgoing, Receipt, Ticket};

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

    /// Whether people are here. Without any, no message is sent here, and the agent does not go on for its sake.
    fn has_people(&self) -> bool {
        true
    }

    /// Carries words in both directions until the people, or the agent, have ended it.
    ///
    /// # Errors
    /// [`ChannelError`] when the channel itself fails; other channels go on.
    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError>;
}

/// What people read about a message that waits behind `ahead` others, the one that is being answered among them.
fn queued(words: &Words, ahead: usize) -> String {
    match ahead {
        1 => words.get("say.queuedBehindOne").to_owned(),
        _ => words.fill("say.queuedBehind", &[("ahead", &ahead)]),
    }
}

/// A channel's connection to the sessions of the people whom it reaches.
#[derive(Debug)]
pub struct Line {
    /// What people say.
    pub incoming: mpsc::Sender<Incoming>,
    /// What the agent says in the sessions that people have here. It ends when the agent does.
    pub outgoing: mpsc::UnboundedReceiver<Addressed>,
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
    /// Returns `true` unless somebody else than a person gives a command, answers a question or stops a turn, or somebody else
    /// than the clock says that a job is due.
    pub fn may_come(&self) -> bool {
        match self.said {
            Said::Message(_) => true,
            Said::Job(..) => matches!(self.origin, Origin::Clock(_)),
            // The agent itself makes these of what has come.
            Said::Overheard(_) | Said::Reply(..) => false,
            Said::WithFiles { .. } | Said::Command(_) | Said::Answer(_) | Said::Stop => {
                self.origin.is_person()
            }
        }
    }
}

/// What came in.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A message to the model.
    Message(String),
    /// A message that tells of files whose names other people may have chosen.
    WithFiles {
        /// All of it, as the model is told it.
        text: String,
        /// What the person typed of it.
        typed: String,
    },
    /// A command to the agent itself. Only a person gives one.
    Command(SlashCommand),
    /// An answer to a question. Nothing but a person's own input makes one of these.
    Answer(Decision),
    /// The wish to stop the turn that runs.
    Stop,
    /// A job is due. Only the clock says so, and hears over the receipt whether people have it.
    Job(Due, Receipt),
    /// What is said in a chat that is silent: it is kept and not answered.
    Overheard(String),
    /// What the owner says to the people of this session, who hears over the receipt whether they have it.
    Reply(String, Receipt),
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

    /// Whether the model is told it and answers.
    #[must_use]
    pub fn is_message(&self) -> bool {
        matches!(self, Self::Message(_) | Self::WithFiles { .. })
    }

    /// The words of a message, a command, or a job that the model is told.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Message(text) | Self::WithFiles { text, .. } => Some(text),
            Self::Command(command) => Some(command.text()),
            Self::Job(due, _) => Some(due.text.as_str()).filter(|_| due.is_agentic),
            Self::Answer(_) | Self::Stop | Self::Overheard(_) | Self::Reply(..) => None,
        }
    }

    /// What it ends at once.
    #[must_use]
    pub fn ends(&self) -> Ends {
        match self {
            Self::Command(command) => command.ends(),
            Self::Stop => Ends::Turn,
            Self::Message(_)
            | Self::WithFiles { .. }
            | Self::Answer(_)
            | Self::Job(..)
            | Self::Overheard(_)
            | Self::Reply(..) => Ends::Nothing,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_waits_counts_those_before_it() {
        let told = |language: &str, ahead| queued(words::CONSOLE.wanted([language]), ahead);
        assert_eq!(told("en", 1), "it is answered after 1 more message");
        assert_eq!(told("en", 3), "it is answered after 3 more messages");
        assert_eq!(told("de", 2), "es wird nach 2 anderen Nachrichten beantwortet");
    }
}
