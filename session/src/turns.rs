//! The turns that a message begins: whom it is addressed to, and what was taken of them by now.

use std::sync::Arc;

use cadence::{Cadence, Floor, Next, TurnEnd};
use persona::{Persona, Roster, mentioned};

use super::Session;

/// All turns of one message.
#[derive(Debug)]
pub struct Turns {
    cadence: Cadence,
    addressed: Option<Arc<Persona>>,
    message: String,
    ended: Vec<TurnEnd>,
}

/// A turn that is to be taken.
#[derive(Debug, Clone, PartialEq)]
pub struct NextTurn {
    /// Who speaks; `None` for the default persona.
    pub speaker: Option<Arc<Persona>>,
    /// The words that are answered.
    pub message: String,
}

impl Turns {
    /// The turns that `message` begins. In the owner's session a person may address a persona with `@name `; else it is for the
    /// one that was chosen for the chat. A name that no persona has is part of the message.
    pub fn begin(session: &Session, roster: &Roster, message: &str) -> Self {
        let may_choose = session.is_owners() && session.origin.is_person();
        let mention = may_choose.then(|| mentioned(roster.names(), message)).flatten();
        let (addressed, message) = match mention.filter(|(_, words)| !words.is_empty()) {
            Some((name, words)) => (roster.find(name).cloned(), words),
            None => (session.chosen_speaker(roster), message),
        };
        Self { cadence: session.cadence, addressed, message: message.to_owned(), ended: Vec::new() }
    }

    /// The turn that is to be taken now; `None` when a person speaks next.
    pub fn next(&self) -> Option<NextTurn> {
        let addressed = self.addressed.as_ref().map(|persona| persona.name.as_str());
        let floor = Floor { addressed, ended: &self.ended, ..Floor::default() };
        let speaker = match self.cadence.next(&floor) {
            Next::Person => return None,
            Next::Default => None,
            Next::Mind(_) => self.addressed.clone(),
        };
        Some(NextTurn { speaker, message: self.message.clone() })
    }

    /// The turn was taken, and ended so.
    pub fn ended(&mut self, end: TurnEnd) {
        self.ended.push(end);
    }
}
