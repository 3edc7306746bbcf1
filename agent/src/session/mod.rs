//! Conversations: what each one holds, and who speaks in it when.

mod desk;
mod held;
mod outlet;

use std::path::PathBuf;

use protocol::{ActionCard, NameError, Principal, Reads, SessionKey};

pub use desk::Desk;
pub use held::Held;
pub use outlet::Outlet;

use crate::action::Observation;
use crate::channel::Outgoing;
use crate::model::Usage;
use crate::prompt::Prompt;
use crate::question::Question;
use crate::workspace::Entered;

/// How many open questions a session knows of by itself: more than a router lets wait.
const QUESTIONS: usize = 16;

/// One conversation. Its history, memory and latest observations stand in the workspace; what must not be
/// changed by hand stands here.
#[derive(Debug)]
pub struct Session {
    /// Its key.
    pub key: SessionKey,
    /// The person whose turn it is.
    pub principal: Principal,
    /// What has entered it, and what its person typed.
    pub entered: Entered,
    /// Makes its prompts.
    pub prompt: Prompt,
    /// What the turn that runs has said by now, so that a turn that is stopped is remembered, too.
    pub said: String,
    /// What the latest completion took.
    pub usage: Option<Usage>,
    /// The questions that it has seen and that nobody has answered here.
    pub questions: Vec<Question>,
    /// What waits for a person's yes. An agent that is started again knows nothing of it.
    pub held: Vec<Held>,
    /// How many answers are given whose result has not come yet.
    pub awaited: usize,
}

/// Who asks, as a command says it: a session at the moment at which an action begins.
#[derive(Debug, Clone)]
pub struct Asking {
    /// The session's key.
    pub session: SessionKey,
    /// The person.
    pub principal: Principal,
    /// What has entered the session by now.
    pub entered: Entered,
    /// Who hears how it goes on, if somebody does.
    pub heard: Option<Outlet>,
}

impl Asking {
    /// The same, with somebody who hears how it goes on.
    #[must_use]
    pub fn heard_by(self, outlet: &Outlet) -> Self {
        Self { heard: Some(outlet.clone()), ..self }
    }

    /// Says what is being done, for as long as it takes.
    pub fn working(&self, on: String) {
        if let Some(outlet) = &self.heard {
            outlet.say(Outgoing::Working(on));
        }
    }

    /// Shows a picture to whoever can see it.
    pub fn show(&self, picture: PathBuf) {
        if let Some(outlet) = &self.heard {
            outlet.say(Outgoing::Picture(picture));
        }
    }

    /// The session as it is now.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            session: session.key.clone(),
            principal: session.principal.clone(),
            entered: session.entered.clone(),
            heard: None,
        }
    }
}

impl Session {
    /// The session that all of the owner's channels share, with nothing in it.
    ///
    /// # Errors
    /// Never in practice: the names are constants that follow their grammar.
    pub fn owner(prompt: Prompt) -> Result<Self, NameError> {
        Ok(Self {
            key: SessionKey::new("owner")?,
            principal: Principal::new("console:owner")?,
            entered: Entered::nothing(),
            prompt,
            said: String::new(),
            usage: None,
            questions: Vec::new(),
            held: Vec::new(),
            awaited: 0,
        })
    }

    /// Raises the bits for what an observation has brought in, by the cards that say what actions read.
    /// An action without a card is taken to have brought text that nobody vouches for.
    pub fn observe(&mut self, observation: &Observation, cards: &[Vec<ActionCard>; 2]) {
        let card = cards.iter().flatten().find(|card| card.name == observation.action);
        let reads = card.map_or(Reads::Public, |card| card.reads);
        self.entered.raise(observation.brings(reads), &observation.source());
        self.hold(observation);
        if let Some(question) = observation.question() {
            self.questions.push(question);
            let too_many = self.questions.len().saturating_sub(QUESTIONS);
            self.questions.drain(..too_many);
        }
    }
}
