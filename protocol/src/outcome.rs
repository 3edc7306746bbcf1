//! How a command ended.

use serde::{Deserialize, Serialize};

use crate::{Object, Reads};

/// The `status` of a reply on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The skill ran and gave a result.
    Ok,
    /// It was tried, or could not be tried, and failed.
    Error,
    /// The wall says no.
    Denied,
    /// A person is asked first; one event `result` follows.
    Pending,
    /// The owner has switched the skill off.
    Skipped,
    /// It came too late to be run.
    Expired,
    /// Nobody knows this action.
    Unknown,
    /// Not now: try again later.
    Busy,
}

/// Why a command did not end in `ok`: the `error.code` of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The command itself can't be read.
    BadRequest,
    /// The parameters don't fit the action's schema.
    BadParams,
    /// The command or its result is over a size limit.
    TooLarge,
    /// The skill ended with an error.
    SkillFailed,
    /// The skill gave something that is no result.
    BadResult,
    /// The skill took too long and was stopped.
    Timeout,
    /// Whoever asked took it back.
    Cancelled,
    /// The router died while it ran; it is not run again.
    Interrupted,
    /// It took down the router too often and is set aside.
    Poison,
    /// The signature does not fit.
    BadSignature,
    /// It has been seen before.
    Replay,
    /// The router itself failed.
    Internal,
    /// The policy refuses it.
    Policy,
    /// Only the owner may ask for this.
    Owner,
    /// The session's budget is used up.
    Budget,
    /// The kill switch is on.
    Stopped,
    /// A person has to approve it.
    Approval,
    /// The skill is switched off in the configuration.
    Disabled,
    /// Its deadline has passed.
    Deadline,
    /// It waited while no router lived.
    Stale,
    /// No skill has this name.
    UnknownAction,
    /// The queue is full.
    QueueFull,
    /// The router is shutting down.
    Draining,
}

impl Code {
    /// The status that a reply with this code has.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::BadRequest
            | Self::BadParams
            | Self::TooLarge
            | Self::SkillFailed
            | Self::BadResult
            | Self::Timeout
            | Self::Cancelled
            | Self::Interrupted
            | Self::Poison
            | Self::BadSignature
            | Self::Replay
            | Self::Internal => Status::Error,
            Self::Policy | Self::Owner | Self::Budget | Self::Stopped => Status::Denied,
            Self::Approval => Status::Pending,
            Self::Disabled => Status::Skipped,
            Self::Deadline | Self::Stale => Status::Expired,
            Self::UnknownAction => Status::Unknown,
            Self::QueueFull | Self::Draining => Status::Busy,
        }
    }
}

impl Status {
    /// The code to assume when a reply has this status and no code of its own; none for `ok`.
    #[must_use]
    pub fn usual_code(self) -> Option<Code> {
        match self {
            Self::Ok => None,
            Self::Error => Some(Code::Internal),
            Self::Denied => Some(Code::Policy),
            Self::Pending => Some(Code::Approval),
            Self::Skipped => Some(Code::Disabled),
            Self::Expired => Some(Code::Deadline),
            Self::Unknown => Some(Code::UnknownAction),
            Self::Busy => Some(Code::QueueFull),
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The skill ran.
    Done(Done),
    /// It did not run, or not to its end.
    Stopped(Stopped),
}

/// What a skill that ran gave back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Done {
    /// The skill's own result.
    pub result: Object,
    /// The same for people, in words.
    pub text: Option<String>,
    /// Nothing was sent: the skill only showed what it would have done.
    pub dry_run: bool,
    /// What is to be seen from now on, by panel: `{"content": "text"}` each, in the place of what it showed before.
    pub screen: Object,
    /// What it brings, where that is not what its card says.
    pub brings: Option<Reads>,
}

/// Why a command ended without a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// The reason, for code.
    pub code: Code,
    /// The reason, for people.
    pub message: String,
    /// Whether the action may have had its effect all the same.
    pub maybe_executed: bool,
    /// Further fields that belong to the reason, such as the id of an approval.
    pub details: Object,
    /// What its words bring, where that is not what the action's card says.
    pub brings: Option<Reads>,
}

impl Stopped {
    /// A reason with nothing further to say.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            maybe_executed: false,
            details: Object::new(),
            brings: None,
        }
    }

    /// The same, with the word that the action may have had its effect.
    #[must_use]
    pub fn maybe_executed(mut self) -> Self {
        self.maybe_executed = true;
        self
    }

    /// The same, whose words bring `reads` and no more.
    #[must_use]
    pub fn bringing(mut self, reads: Reads) -> Self {
        self.brings = Some(reads);
        self
    }

    /// The same, with one more field.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}

impl From<Stopped> for Outcome {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Done> for Outcome {
    fn from(done: Done) -> Self {
        Self::Done(done)
    }
}

impl Outcome {
    /// The status that stands on the wire for this outcome.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Done(_) => Status::Ok,
            Self::Stopped(stopped) => stopped.code.status(),
        }
    }
}
