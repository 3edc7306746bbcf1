//! Lets a storm go on: who is next is asked, and what it says is added to the log.
//!
//! A failure adds nothing and moves no turn: whoever could not answer is next again.

use async_trait::async_trait;
use cadence::{Cadence, Floor, Next, TurnEnd};
use storm::{Agent, Message, Name, Opening, Spoken, USER, cleaned, is_person, prompt};

use super::error::{ShelfError, command};
use super::shelf::now;
use super::stored::Stored;

/// How much of what was said is sent to begin with, in bytes. A model that holds less says so.
const ROOM: usize = 96 * 1024;

/// The least that is tried with a model that holds little.
const LEAST: usize = 4 * 1024;

/// How long a message of a person's may be, in bytes, as in a chat.
const SAY_LIMIT: usize = 256 * 1024;

/// Asks the models of agents.
#[async_trait]
pub trait Speaks: Send + Sync {
    /// The words of `agent` to this request; `hear` hears them as they come.
    async fn speak(
        &self,
        agent: &Agent,
        request: &[Spoken],
        hear: &mut Hears<'_>,
    ) -> Result<Spoke, SpeakError>;
}

/// Who hears how a storm goes on.
pub type Hears<'h> = dyn for<'p> FnMut(Heard<'p>) + Send + 'h;

impl Heard<'_> {
    /// It in words, if it is something that people should know beside who speaks.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        match self {
            Self::Changed(then) => Some(format!("the log was changed meanwhile; {then}")),
            Self::Notice(notice) => Some(notice.clone()),
            _ => None,
        }
    }
}

/// How a storm goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard<'p> {
    /// An agent is asked now.
    Awaited(&'p Name),
    /// The next piece of its words.
    Piece(&'p str),
    /// It begins anew; what it has said by now does not count.
    Anew,
    /// Nothing has come for a while, in words.
    Waiting(String),
    /// It has said this, and the log has it.
    Said(&'p Message),
    /// Somebody else has changed the log, a person who spoke perhaps; and what follows from that.
    Changed(&'static str),
    /// What people should know.
    Notice(String),
}

/// What an agent has said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoke {
    /// Its words.
    pub text: String,
    /// How many tokens it took, reading and writing.
    pub tokens: u64,
}

/// Why an agent has said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeakError {
    /// The request is longer than what its model holds.
    TooLong(String),
    /// Anything else, and what mends it.
    Failed(String),
}

/// Why a storm does not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Its files.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// An agent gave no answer.
    #[error("{name} could not answer: {why}. Nothing was added, and {name} is still next")]
    Failed {
        /// Who.
        name: Name,
        /// Why, and what mends it.
        why: String,
    },
    /// An agent gave an answer without a word in it.
    #[error(
        "{0} answered without a word. Nothing was added, and {0} is still next; ask again, or give it another model"
    )]
    Wordless(Name),
    /// The agents have taken what they may take.
    #[error(
        "{name} has taken about {spent} tokens, and may take {limit}; let it go on with `{next} --tokens {}`",
        .limit.saturating_mul(2),
        next = command("storm next", .name)
    )]
    Budget {
        /// The storm.
        name: Name,
        /// How many were taken.
        spent: u64,
        /// How many may be taken.
        limit: u64,
    },
    /// A person said nothing.
    #[error("there is nothing to say; write some words behind the name")]
    Nothing,
    /// A person said too much at once.
    #[error("a message may have {SAY_LIMIT} bytes, and this one has {0}; say it in parts")]
    Long(usize),
}

/// How a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All have spoken who should.
    Done,
    /// Somebody has asked to stop.
    Stopped,
}

/// A storm that goes on.
pub struct Runner<'r> {
    /// The storm.
    pub stored: &'r mut Stored,
    /// Who asks the models.
    pub speaks: &'r dyn Speaks,
    /// How many tokens its agents may take in all.
    pub limit: u64,
}

impl Runner<'_> {
    /// Lets so many agents speak in turn.
    pub async fn next(&mut self, count: usize, hear: &mut Hears<'_>) -> Result<Ended, RunError> {
        let _running = self.stored.run()?;
        let (cadence, mut ended) = (Cadence::Rotate { turns: count }, Vec::new());
        loop {
            if self.stored.is_stopped() {
                return Ok(Ended::Stopped);
            }
            if self.stored.log.refresh().map_err(ShelfError::from)? {
                hear(Heard::Changed("it goes on from what stands there"));
            }
            let Some(agent) = self.stored.speaker(cadence, &ended)?.cloned() else {
                return Ok(Ended::Done);
            };
            self.one(agent, hear).await?;
            ended.push(TurnEnd::Whole);
        }
    }

    async fn one(&mut self, agent: Agent, hear: &mut Hears<'_>) -> Result<(), RunError> {
        let spent = self.stored.spent();
        if spent >= self.limit {
            let name = self.stored.name.clone();
            return Err(RunError::Budget { name, spent, limit: self.limit });
        }
        hear(Heard::Awaited(&agent.name));
        let spoke = self.asked(&agent, hear).await?;
        self.stored.spend(spoke.tokens).map_err(ShelfError::from)?;
        let text = cleaned(&spoke.text).trim_end();
        if text.trim().is_empty() {
            return Err(RunError::Wordless(agent.name));
        }
        let message = Message { from: agent.name.to_string(), at: now(), text: text.to_owned() };
        self.stored.add(&message, hear)?;
        hear(Heard::Said(&message));
        Ok(())
    }

    /// Asks an agent, with less of what was said where that is too much for its model.
    async fn asked(&self, agent: &Agent, hear: &mut Hears<'_>) -> Result<Spoke, RunError> {
        let said: Vec<&Message> = self.stored.log.log().messages().collect();
        let mut room = ROOM;
        loop {
            let (request, left_out) = prompt(agent, &self.stored.premise, &said, room);
            if left_out > 0 {
                let what = format!(
                    "{} is not told the first {left_out} messages, for there are too many",
                    agent.name
                );
                hear(Heard::Notice(what));
            }
            let mut opening = Opening::default();
            let mut cleans = |heard: Heard<'_>| match heard {
                Heard::Piece(piece) => hear(Heard::Piece(&opening.push(piece))),
                Heard::Anew => {
                    opening = Opening::default();
                    hear(Heard::Anew);
                }
                other => hear(other),
            };
            let spoke = self.speaks.speak(agent, &request, &mut cleans).await;
            let rest = opening.finish();
            match spoke {
                Ok(spoke) => {
                    hear(Heard::Piece(&rest));
                    return Ok(spoke);
                }
                Err(SpeakError::TooLong(_)) if room > LEAST && !said.is_empty() => room /= 2,
                Err(SpeakError::TooLong(why) | SpeakError::Failed(why)) => {
                    return Err(RunError::Failed { name: agent.name.clone(), why });
                }
            }
        }
    }
}

impl Stored {
    /// Who is next.
    ///
    /// # Errors
    /// [`ShelfError::Cast`] when nobody can take turns.
    pub fn next(&self) -> Result<&Agent, ShelfError> {
        let first = &self.cast()?.agents()[0];
        Ok(self.speaker(Cadence::Rotate { turns: 1 }, &[])?.unwrap_or(first))
    }

    /// The agent who speaks next; `None` when a person does.
    fn speaker(&self, cadence: Cadence, ended: &[TurnEnd]) -> Result<Option<&Agent>, ShelfError> {
        let agents = self.cast()?.agents();
        let present: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let last = self.log.log().messages().rev().find(|message| !is_person(&message.from));
        let last = last.map(|message| message.from.as_str());
        let floor = Floor { present: &present, last, ended, ..Floor::default() };
        let Next::Mind(name) = cadence.next(&floor) else { return Ok(None) };
        Ok(agents.iter().find(|agent| agent.name.as_str() == name))
    }

    /// A person speaks, which moves no turn.
    pub fn say(&mut self, text: &str, hear: &mut Hears<'_>) -> Result<(), RunError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(RunError::Nothing);
        }
        if text.len() > SAY_LIMIT {
            return Err(RunError::Long(text.len()));
        }
        let message = Message { from: USER.to_owned(), at: now(), text: text.to_owned() };
        Ok(self.add(&message, hear)?)
    }

    fn add(&mut self, message: &Message, hear: &mut Hears<'_>) -> Result<(), ShelfError> {
        if self.log.append(message)? {
            hear(Heard::Changed("this stands behind it"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
