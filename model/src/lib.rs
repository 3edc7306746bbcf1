//! Who thinks: a language model behind one small trait, and what stands in when there is none.

mod ask;
mod assist;
mod breaker;
mod build;
mod chain;
mod choice;
mod endpoint;
mod endpoints;
mod gate;
mod hearer;
mod in_force;
mod learned;
mod link;
mod offline;
mod proof;
mod retry;
mod settings;
mod switch;
mod trusted;

use async_trait::async_trait;
use document::Notice;
use llm::Delta;

pub use llm::{
    ApiKeys, Call, Completion, Ended, Host, HostError, Listed, ModelError, Picture, Share, Usage,
    Way,
};

pub use ask::{Ask, TurnParts};
pub use assist::Assist;
pub use breaker::Standing;
pub use build::{Lists, Maker};
pub use chain::Chain;
pub use choice::Choice;
pub use endpoint::Endpoint;
pub use endpoints::Endpoints;
pub use gate::Breakers;
pub use hearer::Hearer;
pub use in_force::{Held, InForce, Why};
pub use learned::{Learned, Refused};
pub use link::Link;
pub use offline::Offline;
pub use prompt::Fit;
pub use proof::{Proof, prove, seconds};
pub use settings::{Llm, Vision, WayWish, Window};
pub use switch::Switch;
pub use trusted::Trusted;

use std::time::Duration;

/// Something that answers a prompt.
#[async_trait]
pub trait Model: Send + Sync {
    /// What it is called at the moment, for people: `llama3.1:8B at 127.0.0.1:11434`, `offline`.
    fn name(&self) -> String;

    /// Completes what is asked, and tells `progress` what comes as it comes. Dropping the future ends the
    /// work and closes the connection, which ends it on the server too.
    ///
    /// # Errors
    /// [`ModelError`] says what is wrong with the model or the way to it, and what mends that. What was told
    /// by then stays told.
    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError>;

    /// Asks its server what it is, if that is not known. One that says nothing is no error.
    async fn describe(&self) {}

    /// How it is asked at the moment, if there is something to say of that.
    fn in_force(&self) -> Option<InForce> {
        None
    }
}

/// Who hears how a completion gets on.
pub type Listener<'l> = dyn for<'p> FnMut(Progress<'p>) + Send + 'l;

/// How a completion gets on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<'p> {
    /// Somebody is asked now. Its answer begins from the beginning: nothing of what came before was shown.
    Asked {
        /// Who, as [`Model::name`] says.
        by: &'p str,
        /// For which time, from 1 on.
        number: usize,
    },
    /// The prompt that is sent to whoever is asked, whole.
    Prompt(&'p str),
    /// The answer is words alone: nothing in it asks for an action.
    WordsAlone,
    /// The next piece of the text, raw: action blocks and reasoning included, which
    /// [`Words`](answer::Words) keeps from people.
    Piece(&'p str),
    /// Nothing has come for a while.
    Waiting {
        /// How long by now.
        waited: Duration,
        /// How long it may take in all.
        limit: Duration,
    },
    /// What people should hear now: that it is tried again, or that somebody else answers.
    Notice(Notice),
}

impl<'p> From<Delta<'p>> for Progress<'p> {
    fn from(delta: Delta<'p>) -> Self {
        match delta {
            Delta::Text(piece) => Self::Piece(piece),
            Delta::Waiting { waited, limit } => Self::Waiting { waited, limit },
        }
    }
}

impl Progress<'_> {
    /// Whether it is something of the answer itself, shown or not.
    #[must_use]
    pub fn is_words(&self) -> bool {
        matches!(self, Self::Piece(piece) if !piece.is_empty())
    }

    /// How long `what` takes by now, for people, if that is what is told.
    #[must_use]
    pub fn wait(&self, what: &str) -> Option<String> {
        let Self::Waiting { waited, limit } = self else { return None };
        Some(format!("{what}, {} s of at most {} s", waited.as_secs(), limit.as_secs()))
    }
}

#[cfg(test)]
mod scripted;
#[cfg(test)]
mod testing;
