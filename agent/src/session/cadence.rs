//! Cadence: how the turns of a session follow on one another. Who speaks next is decided here and nowhere else; a turn knows
//! only who speaks in it.

use std::sync::Arc;

use super::Session;
use crate::persona::{Persona, Roster, mentioned};

/// When a persona thinks, and who speaks next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cadence {
    /// Each message is answered once, by the persona that it is addressed to; then a person speaks.
    #[default]
    Reply,
}

/// A turn that is to be taken.
#[derive(Debug, Clone, PartialEq)]
pub struct NextTurn {
    /// Who speaks; `None` for the default persona.
    pub speaker: Option<Arc<Persona>>,
    /// The words that are answered.
    pub message: String,
}

/// How a turn has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// It came to its end, with an answer or with the reason why there is none.
    Whole,
    /// Somebody stopped it.
    Stopped,
}

impl Cadence {
    /// The turn that `message` begins. In the owner's session a person may address a persona with `@name `; else the one that
    /// was chosen for the chat speaks. A name that no persona has is part of the message.
    pub(crate) fn begin(session: &Session, roster: &Roster, message: &str) -> NextTurn {
        let may_choose = session.is_owners() && session.origin.is_person();
        let mention = may_choose.then(|| mentioned(roster.names(), message)).flatten();
        match mention.filter(|(_, words)| !words.is_empty()) {
            Some((name, words)) => {
                NextTurn { speaker: roster.find(name).cloned(), message: words.to_owned() }
            }
            None => {
                let chosen = session.chosen_persona();
                let speaker = chosen.and_then(|name| roster.find(&name).cloned());
                NextTurn { speaker, message: message.to_owned() }
            }
        }
    }

    /// The turn that follows on one that has ended; `None` when a person speaks next.
    pub(crate) fn follow(self, _: &NextTurn, _: TurnEnd) -> Option<NextTurn> {
        match self {
            Self::Reply => None,
        }
    }
}
