//! What one step of a turn is about: everything that a source of the prompt may look at.

use conversation::observation::Observation;
use conversation::workspace::{Artifact, History, Memory};
use notes::Notes;
use protocol::{ActionCard, SessionKey, Taint};

use super::Passages;

/// One lap of thinking, acting and observing, unbounded and as it is.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// The conversation.
    pub session: &'a SessionKey,
    /// What had entered it before this step.
    pub taint: Taint,
    /// Who the agent is: the text of SOUL.md.
    pub soul: &'a str,
    /// The actions that may be asked for: the local ones, then the router's.
    pub cards: [&'a [ActionCard]; 2],
    /// What the agent knows.
    pub memory: &'a Memory,
    /// What was noted of this and of earlier conversations.
    pub notes: Option<&'a Notes>,
    /// What the latest earlier turn that acted brought.
    pub artifact: &'a Artifact,
    /// What was said before.
    pub history: &'a History,
    /// The passages of the library that were found for the message.
    pub known: &'a Passages,
    /// What the user says now.
    pub message: &'a str,
    /// What this turn's actions have brought by now.
    pub so_far: &'a [Observation],
    /// What is wrong with the answer that the model gave to this prompt.
    pub repair: Option<&'a str>,
}
