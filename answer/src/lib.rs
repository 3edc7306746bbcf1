//! What the model gave back: words, and the actions that it asks for.
//!
//! A model is asked in one of three ways: for words and at the end one
//! `<tool_code>[{"name": "...", "params": {...}}]</tool_code>`, for one object
//! `{"message": "...", "actions": [...]}`, or for tool calls of its server. Small models answer in any of them, and
//! in the ways of their own templates, so all are read whatever was asked for:
//!
//! - blocks between tags (`<tool_code>`, `<tool_call>`, `<function=NAME>`, `[TOOL_CALLS]`, `<|python_tag|>`);
//!   words behind them are dropped, for they speak of a result that does not exist yet;
//! - values, and calls like `NAME(key="value")`, without a tag, in a code fence or alone, if nothing follows them;
//! - inside of these, what [`lenient`] reads, the shapes that [`form`] knows, a name in another case ([`name`]) and
//!   parameters that fit their card without loss ([`params`]).
//!
//! That is safe for four reasons. Each tolerated form has one reading; where two are possible, in a quotation, in
//! reasoning, in the middle of a sentence, with a key twice, the model hears of it and may write it again. If anything
//! of an answer can't be read, or it was cut off, nothing of it is run. What has no tag and repeats a text that the
//! model was shown is refused ([`echo`]). And what is read is only asked for: the router judges every command all the
//! same.

mod block;
mod echo;
mod envelope;
mod error;
mod form;
mod found;
mod held;
mod lenient;
mod line;
mod mark;
mod marks;
mod message;
mod name;
mod params;
mod place;
mod read;
mod scan;
mod splitter;
mod words;

pub mod sanitize;

use std::fmt;

use protocol::{ActionName, Object};
use serde_json::Value;

pub use echo::Shown;
pub use error::{ActionError, AnswerError, ParamError};
pub use words::Words;

/// How many actions one answer may ask for.
pub const MAX_ACTIONS: usize = 8;

/// A model's text, read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// What it says to the user.
    pub words: String,
    /// What it asks for, in its order.
    pub actions: Vec<Action>,
}

/// One thing that the model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Which action.
    pub name: ActionName,
    /// With what; empty if the model gave nothing.
    pub params: Object,
}

/// Writes the answer as one object, in which words are never read as an action, whatever they hold.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = Value::String(self.words.clone());
        write!(f, "{{\"message\": {message}, \"actions\": [{}]}}", list(&self.actions))
    }
}

/// The exact text by which a model asks for `actions`.
#[must_use]
pub fn block(actions: &[Action]) -> String {
    // In JSON `<` stands in texts alone; written like this, no text can end the block.
    format!("<tool_code>[{}]</tool_code>", list(actions).replace('<', "\\u003c"))
}

fn list(actions: &[Action]) -> String {
    let written = |action: &Action| {
        let params = Value::Object(action.params.clone()).to_string();
        format!(r#"{{"name": "{}", "params": {params}}}"#, action.name)
    };
    actions.iter().map(written).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
