//! Where people talk with the agent.
//!
//! A channel speaks with the rest of the agent through a pair of queues: what people say goes in, what the
//! agent says comes out. Nothing calls into a channel.

pub mod console;

use async_trait::async_trait;
use protocol::Principal;
use tokio::sync::mpsc;

use crate::question::{Decision, Question};

/// The longest message, in bytes, about 8,000 tokens: what the whole of a small model's window holds.
pub const MAX_MESSAGE: usize = 32 * 1024;

/// A way to talk with people.
#[async_trait]
pub trait Channel: Send {
    /// Carries words in both directions until the people, or the agent, have ended it.
    ///
    /// # Errors
    /// [`ChannelError`] when the channel itself fails; other channels go on.
    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError>;
}

/// A channel's connection to its session.
#[derive(Debug)]
pub struct Line {
    /// What people say.
    pub incoming: mpsc::Sender<Incoming>,
    /// What the agent says. It ends when the agent does.
    pub outgoing: mpsc::UnboundedReceiver<Outgoing>,
}

/// One thing that came from a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// Who it came from.
    pub from: Principal,
    /// What it is.
    pub said: Said,
}

/// What a person can do.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Say something.
    Message(String),
    /// Answer a question. Nothing but a person's own input makes one of these.
    Answer(Decision),
    /// Stop the turn that runs.
    Stop,
}

/// One thing that the agent says.
#[derive(Debug, Clone, PartialEq)]
pub enum Outgoing {
    /// The agent is at work: what it waits for.
    Working(String),
    /// The same, when it takes long: how long by now, and how long it may. It comes again and again.
    Waiting(String),
    /// A piece of the answer, as it comes.
    Words(String),
    /// An action has ended: one line.
    Action(String),
    /// Something about the agent itself that people should know.
    Notice(String),
    /// A whole text that is no answer of the model, such as that of a slash command.
    Text(String),
    /// A person is asked whether something may run.
    Question(Question),
    /// The turn is over; the next message can come.
    End,
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
