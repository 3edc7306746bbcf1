//! What a model gave back, and what it took.

use std::time::Duration;

use crate::Ended;

/// What a model gave back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Its text, whole and raw.
    pub text: String,
    /// The tool calls that came beside the text.
    pub calls: Vec<Call>,
    /// It was asked for as words alone: nothing in it is a call, whatever it looks like.
    pub words_alone: bool,
    /// Its words say that it was not understood: no language model has read it.
    pub unanswered: bool,
    /// Why it ended.
    pub ended: Ended,
    /// What it took.
    pub usage: Usage,
}

/// A tool call, as a server says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The name of the tool, unchecked.
    pub name: String,
    /// The parameters as JSON, unchecked; empty for none.
    pub params: String,
}

/// What a completion took, as far as the server says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Who answered, as people call it: `llama3.1:8B at 127.0.0.1:11434`.
    pub by: String,
    /// The tokens of the prompt.
    pub read: Option<u64>,
    /// Those of them that the server knew from before.
    pub cached: Option<u64>,
    /// The tokens of the answer.
    pub written: Option<u64>,
    /// The size of the window that the prompt and the answer had to fit, in tokens.
    pub window: Option<u64>,
    /// From asking to the first token; in a turn, from when people began to wait to the first of its text.
    pub first_token: Option<Duration>,
    /// What had to be left out of the prompt, in words for people.
    pub cut: Vec<String>,
    /// What the prompt was made of.
    pub shares: Vec<Share>,
}

/// How much of a prompt one section took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The placeholder that the section fills, such as `MEMORY_CONTENT`; what no section fills has a name of its own.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Completion {
    /// A text that came about in the ordinary way.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Where it was cut off, if it was: `after 2048 tokens` when it was as long as it may be.
    #[must_use]
    pub fn cut(&self) -> Option<String> {
        match (&self.ended, self.usage.written) {
            (Ended::AtLimit, Some(tokens)) => Some(format!("after {tokens} tokens")),
            (Ended::AtLimit, None) => Some("at the limit of its length".to_owned()),
            (Ended::Repeating, _) => Some("in an endless repetition".to_owned()),
            (Ended::ByServer(word), _) => Some(format!("by its server ({word})")),
            (Ended::OfItself | Ended::ForTools(_), _) => None,
        }
    }
}
