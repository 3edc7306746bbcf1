//! Who serves models: one file for each API, behind one small trait that sends nothing itself.

mod anthropic;
mod faults;
mod gemini;
mod host;
mod ollama;
mod openai;
mod place;
mod refusal;

use serde_json::Value;

pub(crate) use anthropic::Anthropic;
pub(crate) use faults::retry_after;
pub(crate) use gemini::Gemini;
pub use host::{Host, HostError};
pub(crate) use ollama::Ollama;
pub(crate) use openai::OpenAi;
pub(crate) use place::Place;
pub use place::SizedBy;
pub use refusal::Refusal;
pub(crate) use refusal::Said;

use crate::{CompletionRequest, Message, Tool};

/// One API for models: what to send, and what comes back means.
pub(crate) trait Provider: Send + Sync {
    /// Where the server is.
    fn place(&self) -> &Place;

    /// Asks for the models that there are.
    fn list(&self) -> Request;

    /// Asks what `model` is, and how large its window: what to try until the window is known, best first.
    fn describe(&self, model: &str) -> Vec<Request>;

    /// Asks for a completion, as a stream.
    fn complete(&self, model: &str, asked: &CompletionRequest<'_>) -> Request;

    /// The models that an answer to [`Provider::list`] or [`Provider::describe`] tells of; one without a name
    /// is the one that was asked about. `None` if it is no such answer.
    fn listed(&self, body: &Value) -> Option<Vec<Listed>>;

    /// Reads one frame of a stream.
    fn parts(&self, frame: &Value) -> Vec<Part>;

    /// What it means that a server says this instead of an answer.
    fn refusal(&self, said: &Said) -> Refusal;
}

/// Something to send.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    /// Where to.
    pub(crate) url: String,
    /// What is posted; without one it is a GET.
    pub(crate) body: Option<Value>,
}

impl Request {
    /// Fetches `url`.
    pub(crate) fn get(url: impl Into<String>) -> Self {
        Self { url: url.into(), body: None }
    }

    /// Posts `body` to `url`.
    pub(crate) fn post(url: impl Into<String>, body: Value) -> Self {
        Self { url: url.into(), body: Some(body) }
    }
}

/// A model that a server has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its name there.
    pub name: String,
    /// The size of its window in tokens, if the list says.
    pub window: Option<u64>,
    /// Whether it can see pictures, if that is said.
    pub sees: Option<bool>,
    /// Whether it thinks before it answers, if that is said.
    pub thinks: Option<bool>,
    /// How many parameters it has, if that is said.
    pub parameters: Option<u64>,
    /// The versions of the server and of the model, in words of the server's that change with them, if that is said.
    pub build: Option<String>,
}

impl Listed {
    /// Takes in what is said elsewhere of the same model.
    pub(crate) fn add(&mut self, other: Self) {
        self.window = self.window.or(other.window);
        self.sees = self.sees.or(other.sees);
        self.thinks = self.thinks.or(other.thinks);
        self.parameters = self.parameters.or(other.parameters);
        let builds = [self.build.take(), other.build];
        self.build = builds.into_iter().flatten().reduce(|one, other| format!("{one} {other}"));
    }
}

/// A part of an answer that comes as a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// More of the text.
    Text(String),
    /// More of what the model thinks to itself; its length in bytes.
    Thought(usize),
    /// A tool call, or more of the one at the same place; without a place it is whole.
    Call {
        /// Which of the answer's calls it belongs to.
        at: Option<u64>,
        /// The tool's name, or nothing if that has come.
        name: String,
        /// The parameters as JSON, or the next piece of them.
        params: String,
    },
    /// What it took, as far as this frame says.
    Usage(Tokens),
    /// The answer is complete. What it took may still come.
    Done {
        /// Why it ended, in the server's word, such as `stop`.
        reason: String,
    },
    /// Nothing comes any more.
    End,
    /// The server failed.
    Failed(Said),
}

/// Counts of tokens by the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The prompt's.
    pub read: Option<u64>,
    /// Those of them that it knew from before.
    pub cached: Option<u64>,
    /// The answer's.
    pub written: Option<u64>,
}

/// The text at `value`, if there is any.
fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// The messages in the form that Ollama and OpenAI share; `user` is the last one.
fn messages(asked: &CompletionRequest<'_>, user: Value) -> Value {
    let system = (!asked.system.is_empty())
        .then(|| serde_json::json!({"role": "system", "content": asked.system}));
    system.into_iter().chain(earlier(asked)).chain([user]).collect()
}

/// What was said before, in the form that all but Gemini share.
fn earlier(asked: &CompletionRequest<'_>) -> impl Iterator<Item = Value> {
    let message = |message: &Message| serde_json::json!({"role": message.role.as_str(), "content": message.text});
    asked.messages.iter().map(message)
}

/// A temperature as JSON; a whole one as APIs show it, without a point.
fn number(temperature: f64) -> Value {
    if temperature == 0.0 { 0.into() } else { temperature.into() }
}

/// The places of a list that says for which kinds of input a model is: whether pictures are among them.
fn lists_pictures(kinds: &Value) -> Option<bool> {
    let kinds = kinds.as_array()?;
    Some(kinds.iter().any(|kind| matches!(kind.as_str(), Some("vision" | "image"))))
}

/// The tools in the form that Ollama and OpenAI share.
fn functions(tools: &[Tool]) -> Value {
    let function = |tool: &Tool| {
        serde_json::json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        }})
    };
    tools.iter().map(function).collect()
}
