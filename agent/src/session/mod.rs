//! Conversations: what each one holds, and who speaks in it when.

mod desk;
mod outlet;

use protocol::{ActionCard, NameError, Outcome, Principal, Reads, SessionKey, Taint};

pub use desk::Desk;
pub use outlet::Outlet;

use crate::action::Observation;
use crate::prompt::Prompt;

/// One conversation. Its history, memory and latest observations stand in the workspace; what must not be
/// changed by hand stands here.
#[derive(Debug)]
pub struct Session {
    /// Its key.
    pub key: SessionKey,
    /// The person whose turn it is.
    pub principal: Principal,
    /// What has entered it. Only code raises a bit, and nothing clears one.
    pub taint: Taint,
    /// Makes its prompts.
    pub prompt: Prompt,
    /// What the turn that runs has said by now, so that a turn that is stopped is remembered, too.
    pub said: String,
}

/// Who asks, as a command says it: a session at the moment at which an action begins.
#[derive(Debug, Clone)]
pub struct Asking {
    /// The session's key.
    pub session: SessionKey,
    /// The person.
    pub principal: Principal,
    /// What has entered the session by now.
    pub taint: Taint,
}

impl Asking {
    /// The session as it is now.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            session: session.key.clone(),
            principal: session.principal.clone(),
            taint: session.taint,
        }
    }
}

impl Session {
    /// The session that all of the owner's channels share.
    ///
    /// # Errors
    /// Never in practice: the names are constants that follow their grammar.
    pub fn owner(prompt: Prompt) -> Result<Self, NameError> {
        Ok(Self {
            key: SessionKey::new("owner")?,
            principal: Principal::new("console:owner")?,
            taint: Taint::CLEAN,
            prompt,
            said: String::new(),
        })
    }

    /// Raises the bits for what an observation has brought in, by the cards that say what actions read.
    /// An action without a card is taken to have brought text that nobody vouches for.
    pub fn observe(&mut self, observation: &Observation, cards: &[Vec<ActionCard>; 2]) {
        if !matches!(observation.outcome, Outcome::Done(_)) {
            return;
        }
        let card = cards.iter().flatten().find(|card| card.name == observation.action);
        let reads = card.map_or(Reads::Public, |card| card.reads);
        self.taint = self
            .taint
            .with(Taint { untrusted: reads == Reads::Public, private: reads == Reads::Private });
    }
}
