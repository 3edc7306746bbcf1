//! What the model gave back: words, and the actions that it asks for.
//!
//! A model is asked in one of three formats ([`formats`]): for words and at the end one
//! `<tool_code>[{"name": "...", "params": {...}}]</tool_code>`, for one object
//! `{"message": "...", "actions": [...]}`, or for tool calls of its server. Small models answer in any of them, and
//! in the notations of their own templates, so all are read whatever was asked for:
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

mod echo;
mod error;
mod form;
mod found;
mod held;
mod lenient;
mod line;
mod mark;
mod marks;
mod name;
mod params;
mod place;
mod read;
mod scan;
mod splitter;
mod words;

pub mod formats;
pub mod sanitize;

use protocol::{ActionName, Object};

pub use echo::Shown;
pub use error::{ActionError, AnswerError, ParamError};
pub use formats::tool_code::block;
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

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
