//! One line on a pipe.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{Catalog, Event, MessageId};

/// What stands on one line of the pipe between an agent and its router: a JSON object with one key.
///
/// Commands and replies are carried as the bytes that they are, because judging those is the business of
/// whoever reads them, not of the pipe.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// Agent to router.
    Command(Box<RawValue>),
    /// Agent to router: a command that a router before this one had, which has not said that it begins it.
    Unbegun(Box<RawValue>),
    /// Router to agent: this command, which can't be done twice, begins now.
    Begins(MessageId),
    /// Router to agent.
    Reply(Box<RawValue>),
    /// Router to agent.
    Event(Event),
    /// Router to agent: the catalogue, whole, whenever it has changed.
    Catalog(Catalog),
    /// Agent to router: this command is no longer wanted.
    Cancel(MessageId),
}
