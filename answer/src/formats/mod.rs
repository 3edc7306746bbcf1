//! The three formats in which a model is asked for actions, each in a file or folder of its own: how it is explained to the
//! model, what a server is sent with it, and how an answer in it is written and read.
//!
//! Whatever a model was asked for, it may answer in another format, so an answer is read in all of them.

pub mod json;
mod native;
mod notation;
pub mod tool_code;

use llm::{Completion, Format, Way};
use protocol::ActionCard;
use protocol::json::MAX_BYTES;
use serde_json::Value;

use super::Action;
use super::error::{ActionError, AnswerError};
use super::form;
use super::found::Block;
use super::lenient::Arguments;
use super::mark::Form;
use super::name::Cards;
use notation::Notation;

/// How to answer, in words for the model.
#[must_use]
pub fn instructions(way: Way) -> &'static str {
    match way {
        Way::ToolCode => tool_code::INSTRUCTIONS,
        Way::Json => json::INSTRUCTIONS,
        Way::Native => native::INSTRUCTIONS,
    }
}

/// The one line for a prompt whose template explains `<tool_code>` in words of its own.
#[must_use]
pub fn in_one_line(way: Way) -> Option<&'static str> {
    match way {
        Way::ToolCode => None,
        Way::Json => Some(json::IN_ONE_LINE),
        Way::Native => Some(native::IN_ONE_LINE),
    }
}

/// What a server is sent with the prompt, so that these actions can be asked for.
#[must_use]
pub fn response(way: Way, cards: &[&ActionCard]) -> Format {
    match way {
        Way::Json => Format::Schema(json::schema(cards, None, true)),
        Way::Native if !cards.is_empty() => Format::Tools(native::tools(cards)),
        Way::ToolCode | Way::Native => Format::Free,
    }
}

/// The format to try with a server that does not know `way`.
#[must_use]
pub fn next(way: Way) -> Option<Way> {
    match way {
        Way::Json => Some(Way::Native),
        Way::Native => Some(Way::ToolCode),
        Way::ToolCode => None,
    }
}

/// A call that was read, and not yet held against the cards.
pub(super) enum Call {
    /// A value of any shape.
    Value(Value),
    /// A name with parameters in JSON.
    Named(String, String),
    /// A name with parameters as Python writes them.
    Python(String, Arguments),
}

impl Call {
    /// The call as it would stand in a text, apart from space and quotation marks.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Value(value) => value.to_string(),
            Self::Named(name, params) => format!("{name}[ARGS]{params}"),
            Self::Python(name, arguments) => {
                let positional = arguments.positional.iter().map(Value::to_string);
                let named = arguments.named.iter().map(|(name, value)| format!("{name}={value}"));
                let all: Vec<String> = positional.chain(named).collect();
                format!("{name}({})", all.join(", "))
            }
        }
    }

    /// The action that it asks for.
    ///
    /// # Errors
    /// [`ActionError`].
    pub(super) fn action(self, cards: Cards<'_>) -> Result<Action, ActionError> {
        match self {
            Self::Value(value) => form::action(value, cards),
            Self::Named(name, params) => form::call(&name, &params, cards),
            Self::Python(name, arguments) => form::python(&name, arguments, cards),
        }
    }
}

/// The tool calls of a completion.
///
/// # Errors
/// [`AnswerError::Unreadable`]: one has more parameters than are read.
pub(super) fn tool_calls(completion: &Completion) -> Result<Vec<Call>, AnswerError> {
    native::calls(&completion.calls)
}

/// The calls of a block.
///
/// # Errors
/// [`AnswerError`]: they can't be read, or they are none.
pub(super) fn calls(block: &Block) -> Result<Vec<Call>, AnswerError> {
    if block.text.len() > MAX_BYTES {
        return Err(AnswerError::Unreadable("they are too large".to_owned()));
    }
    let notation = Notation::of(block);
    match block.form {
        Form::Envelope => json::calls(&notation),
        Form::Function => tool_code::function(&notation, notation.text),
        Form::Values | Form::Open => tool_code::calls(&notation),
    }
}
