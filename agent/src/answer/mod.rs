//! What the model gave back: words, and the actions that it asks for.
//!
//! A model writes words and at the end optionally one
//! `<tool_code>[{"name": "...", "params": {...}}]</tool_code>`. Code fences around and inside the block
//! and white space don't matter; everything else is strict, because a block that is read differently than
//! it was meant would act: two blocks, words behind one, or one that is quoted are no actions. What stands in
//! `<think>...</think>` and the like is cut before anything is read.

mod error;
mod splitter;
mod words;

use std::fmt;

use protocol::{ActionName, Object, json};
use serde_json::Value;

pub use error::{ActionError, AnswerError};
use splitter::Splitter;
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

impl Answer {
    /// Reads the whole text of a completion.
    ///
    /// # Errors
    /// [`AnswerError`] says what the model has to write differently. Nothing of such an answer is run.
    pub fn parse(completion: &str) -> Result<Self, AnswerError> {
        let mut splitter = Splitter::default();
        let mut words = splitter.push(completion);
        let (last, blocks) = splitter.finish();
        words.push_str(&last);
        match blocks.count {
            _ if blocks.unopened => Err(AnswerError::Unopened),
            _ if blocks.unclosed => Err(AnswerError::Unclosed),
            0 if words.is_empty() => Err(AnswerError::Empty),
            0 if words.contains("```tool_code") => Err(AnswerError::Untagged),
            0 => Ok(Self { words, actions: Vec::new() }),
            1 if blocks.quoted => Err(AnswerError::Quoted),
            1 if blocks.followed => Err(AnswerError::Followed),
            1 => Ok(Self { words, actions: actions(&blocks.first)? }),
            many => Err(AnswerError::ManyBlocks(many)),
        }
    }
}

/// Writes the answer as a model would.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)?;
        if self.actions.is_empty() { Ok(()) } else { f.write_str(&block(&self.actions)) }
    }
}

/// The exact text by which a model asks for `actions`.
#[must_use]
pub fn block(actions: &[Action]) -> String {
    let list: Vec<String> = actions
        .iter()
        .map(|action| {
            let params = Value::Object(action.params.clone()).to_string();
            format!(r#"{{"name": "{}", "params": {params}}}"#, action.name)
        })
        .collect();
    // In JSON `<` stands in texts alone; written like this, no text can end the block.
    let list = list.join(", ").replace('<', "\\u003c");
    format!("<tool_code>[{list}]</tool_code>")
}

fn actions(block: &str) -> Result<Vec<Action>, AnswerError> {
    let value = json::parse(unfenced(block).as_bytes())
        .map_err(|error| AnswerError::Json(error.to_string()))?;
    let Value::Array(list) = value else {
        return Err(AnswerError::NotAList(json::kind(&value)));
    };
    if list.len() > MAX_ACTIONS {
        return Err(AnswerError::TooMany(list.len()));
    }
    list.into_iter()
        .enumerate()
        .map(|(index, value)| {
            action(value).map_err(|problem| AnswerError::Action { number: index + 1, problem })
        })
        .collect()
}

fn action(value: Value) -> Result<Action, ActionError> {
    let Value::Object(mut object) = value else {
        return Err(ActionError::NotAnObject(json::kind(&value)));
    };
    let name = match object.shift_remove("name") {
        Some(Value::String(name)) => ActionName::new(name)?,
        Some(other) => return Err(ActionError::NameKind(json::kind(&other))),
        None => return Err(ActionError::NoName),
    };
    let params = match object.shift_remove("params") {
        Some(Value::Object(params)) => params,
        Some(other) => return Err(ActionError::Params(json::kind(&other))),
        None => Object::new(),
    };
    match object.keys().next() {
        Some(key) => Err(ActionError::UnknownKey(key.chars().take(80).collect())),
        None => Ok(Action { name, params }),
    }
}

/// The block without a code fence just inside its tags.
fn unfenced(block: &str) -> &str {
    let block = block.trim();
    let Some(inside) = block.strip_prefix("```") else { return block };
    let inside = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    inside.trim_end().trim_end_matches('`')
}

#[cfg(test)]
mod tests;
