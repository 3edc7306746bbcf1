//! The interface of a slash command.

use std::fmt::{Debug, Display};
use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;
use conversation::question::Decision;
use protocol::Object;
use session::{Caller, Outbox, Session};

use crate::Mind;

/// A command that was read: its parameters, ready to be carried out.
#[async_trait]
pub trait Perform: Debug + Send + Sync {
    /// Carries the command out and says what came of it.
    async fn perform(&self, at: At<'_>);

    /// All that the command has to say, if it need not wait for the turn that runs in the session of `caller`.
    fn aside(&self, _mind: &Mind, _caller: &Caller) -> Option<String> {
        None
    }

    /// What the command says of the result `done`, which came once a person had answered a question; nothing where it has no
    /// words of its own.
    fn told(&self, _done: &Object) -> Option<String> {
        None
    }

    /// The answer to a question that the command is: it counts at once, also while a turn runs.
    fn answers(&self) -> Option<&Decision> {
        None
    }

    /// What the command ends at once instead of waiting for its turn.
    fn ends(&self) -> Ends {
        Ends::Nothing
    }
}

/// A command that was read, or the reason why it can't be, with what would be right.
pub type Read = Result<Arc<dyn Perform>, String>;

/// What a command or another sign of a person ends at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Nothing: it waits until the turn that runs is over.
    Nothing,
    /// The turn that runs in its session.
    Turn,
    /// The turn that runs, and then everything else.
    Everything,
}

/// The place where a command is carried out.
pub struct At<'a> {
    /// What all sessions think and act with.
    pub mind: &'a Arc<Mind>,
    /// The session in which the command was given.
    pub session: &'a mut Session,
    /// The way out to the people of that session.
    pub outbox: &'a Outbox,
    /// The command as it was typed.
    pub typed: &'a str,
}

impl At<'_> {
    /// Says what the command found or did.
    pub fn text(&self, text: impl Into<String>) {
        self.outbox.say(Outgoing::Text(text.into()));
    }

    /// Says why the command did nothing, or not all that was wanted.
    pub fn notice(&self, why: impl Into<String>) {
        self.remark(why);
        self.outbox.say(Outgoing::Failed);
    }

    /// Says what else people should know of what it did.
    pub fn remark(&self, what: impl Into<String>) {
        self.outbox.say(Outgoing::Notice(what.into()));
    }

    /// Says what is wrong with the agent's files, for which it was not done, or not kept.
    pub fn fault(&self, error: impl Display) {
        self.outbox.say_fault(error.to_string());
        self.outbox.say(Outgoing::Failed);
    }
}
