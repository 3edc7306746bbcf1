//! The format `json`: one object with a thought, actions and a message, which the server forces by a schema.

pub(crate) mod envelope;
pub(crate) mod message;
mod schema;

use std::fmt;

use protocol::json;
use serde_json::{Value, json};

use super::notation::{Notation, listed};
use super::{Call, tool_code};
use crate::error::{AnswerError, shown};
use crate::{Action, Answer, lenient};
use envelope::BESIDE_MESSAGE;

pub(super) use schema::params;
pub use schema::{Shape, schema};

/// How to answer, in words for the model.
pub(super) const INSTRUCTIONS: &str = "\
Answer the message at the end with one JSON object: \"thought\", what it wants in a few English words; \"actions\", those that \
it asks for, once for each thing to do; \"message\", if there are none: what you say, in the message's language.";

/// The one line for templates that have words of their own.
pub(super) const IN_ONE_LINE: &str = "\
Answer with one JSON object and nothing else, whatever was said of tool_code: \
{\"thought\":\"...\",\"actions\":[{\"name\":\"ACTION\",\"params\":{}}],\"message\":\"...\"}";

/// An answer as an example shows it, without a message: a small model would copy one.
#[must_use]
pub fn example(thought: &str, actions: &[Action]) -> String {
    let action = |action: &Action| json!({"name": action.name, "params": action.params});
    let actions: Vec<Value> = actions.iter().map(action).collect();
    json!({"thought": thought, "actions": actions}).to_string()
}

/// Writes the answer as one object, in which words are never read as an action, whatever they hold.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = Value::String(self.words.clone());
        write!(f, "{{\"message\": {message}, \"actions\": [{}]}}", tool_code::list(&self.actions))
    }
}

/// Reads the actions of an object that is a whole answer. Its message was shown when it came.
pub(super) fn calls(notation: &Notation<'_>) -> Result<Vec<Call>, AnswerError> {
    let text = notation.text;
    let read = lenient::value(text, notation.is_whole);
    let strict = json::parse(text.as_bytes());
    let value = match (strict, read.problem) {
        (Ok(value), _) => value,
        (_, None) if text[read.length..].trim().is_empty() => read.value,
        (_, problem) => {
            return Err(notation.broken(problem.unwrap_or("more stands behind it"), read.length));
        }
    };
    let Value::Object(mut object) = value else {
        return Err(AnswerError::NotAList(json::kind(&value)));
    };
    match object.shift_remove("message") {
        None | Some(Value::String(_) | Value::Null) => {}
        Some(other) => {
            return Err(AnswerError::Unreadable(format!(
                "\"message\" is {}, not a text",
                json::kind(&other)
            )));
        }
    }
    // What a schema makes a small model write first, so that it acts better; nobody reads it.
    BESIDE_MESSAGE.into_iter().for_each(|key| drop(object.shift_remove(key)));
    let actions = object.shift_remove("actions").unwrap_or_default();
    match object.keys().next() {
        Some(key) => Err(AnswerError::UnknownKey(shown(key))),
        None if actions.is_null() => Ok(Vec::new()),
        None => listed(vec![actions]),
    }
}
