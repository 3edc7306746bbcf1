//! Who thinks: a language model behind one small trait, and what stands in when there is none.

mod error;
mod fallback;
mod offline;
mod ollama;

use async_trait::async_trait;
use protocol::ActionCard;

pub use error::ModelError;
pub use fallback::Fallback;
pub use offline::Offline;
pub use ollama::{Host, HostError, Ollama};

use crate::action::Observation;
use crate::notice::Notice;
use crate::workspace::Memory;

/// Something that answers a prompt.
#[async_trait]
pub trait Model: Send + Sync {
    /// What it is called, for people: `llama3.1:8B at 127.0.0.1:11434`, `offline`.
    fn name(&self) -> &str;

    /// Completes the prompt. The text goes to `words` piece by piece as it comes, raw: action blocks and
    /// reasoning included, which [`Words`](crate::answer::Words) keeps from people. Dropping the future
    /// ends the work and closes the connection.
    ///
    /// # Errors
    /// [`ModelError`] says what is wrong with the model or the way to it, and what mends that.
    async fn complete(
        &self,
        ask: &Ask<'_>,
        words: &mut (dyn for<'w> FnMut(&'w str) + Send),
    ) -> Result<Completion, ModelError>;
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The whole prompt: all that a language model needs.
    pub prompt: &'a str,
    /// What the prompt was made of, if it is a user's message.
    pub turn: Option<TurnParts<'a>>,
}

/// What a prompt was made of, for a model that can't read.
#[derive(Debug, Clone, Copy)]
pub struct TurnParts<'a> {
    /// What the user said.
    pub message: &'a str,
    /// The actions that may be asked for: the local ones, then the router's.
    pub cards: [&'a [ActionCard]; 2],
    /// What this turn's actions have brought by now.
    pub so_far: &'a [Observation],
    /// What the agent knows.
    pub memory: &'a Memory,
}

impl<'a> Ask<'a> {
    /// A prompt that is not about a user's message and allows no action.
    #[must_use]
    pub fn plain(prompt: &'a str) -> Self {
        Self { prompt, turn: None }
    }
}

/// What a model gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Its text, whole and raw.
    pub text: String,
    /// What people should hear about how it came about.
    pub notice: Option<Notice>,
}

impl Completion {
    /// A text that came about in the ordinary way.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), notice: None }
    }
}
