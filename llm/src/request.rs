//! What a model is asked, for every provider alike.

use serde_json::Value;

use crate::Picture;

/// What is asked of a model.
#[derive(Debug, Clone, Copy)]
pub struct CompletionRequest<'a> {
    /// What is the same from turn to turn; empty if nothing is.
    pub system: &'a str,
    /// What was said before in messages of their own, oldest first; empty where the user's message holds it.
    pub messages: &'a [Message],
    /// What is said now.
    pub user: &'a str,
    /// What goes along with it, to be seen.
    pub picture: Option<&'a Picture>,
    /// What the answer has to look like.
    pub format: &'a Format,
    /// How much the model gambles: from 0, not at all, to 1 or 2 as providers have it. `None` leaves it to the server.
    pub temperature: Option<f64>,
    /// How many tokens there are for what.
    pub budget: Budget,
}

/// One message of an earlier exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whoever asks the model.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// As Ollama, OpenAI and Anthropic write it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// How many tokens a completion may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The size of the window.
    pub window: u64,
    /// About how much there is to read, which decides how long the first token may take.
    pub reads: u64,
    /// How long the answer may be.
    pub answer: u64,
    /// How much may be thought besides; 0 as long as nobody knows that the model thinks.
    pub thoughts: u64,
}

/// What the answer has to look like.
#[derive(Debug, Clone, PartialEq)]
pub enum Format {
    /// As the request says in words.
    Free,
    /// One JSON object that this JSON Schema describes.
    Schema(Value),
    /// Words, and calls of these tools.
    Tools(Vec<Tool>),
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its parameters: an object.
    pub parameters: Value,
}
