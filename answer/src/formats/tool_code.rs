//! The format `tool_code`: words, and at the end a `<tool_code>` block. It needs nothing of the server.
//!
//! Models write such a block in many notations, also between tags of their own, so all of them are read here.

use protocol::json;
use serde_json::Value;

use super::Call;
use super::notation::{Notation, listed};
use crate::error::AnswerError;
use crate::{Action, lenient};

/// How to answer, in words for the model. There is no block with a name that stands for others: small models copy it.
pub(super) const INSTRUCTIONS: &str = "\
Answer the message at the end in plain words and in its language. Only if it asks for something that a listed action does, \
end the answer with one <tool_code> block, written as in that action's example, and write nothing behind it.";

/// The same for who talks with others, and is shown what an action brought before it goes on.
pub const BESIDE_TALK: &str = "\
Talk in plain words. Only if you need something that a listed action does, end your words with one <tool_code> block, written as \
in that action's example, and write nothing behind it. You are shown the result, and then you go on.";

/// The exact text by which a model asks for `actions`.
#[must_use]
pub fn block(actions: &[Action]) -> String {
    // In JSON `<` stands in texts alone; written like this, no text can end the block.
    format!("<tool_code>[{}]</tool_code>", list(actions).replace('<', "\\u003c"))
}

pub(super) fn list(actions: &[Action]) -> String {
    let written = |action: &Action| {
        let params = Value::Object(action.params.clone()).to_string();
        format!(r#"{{"name": "{}", "params": {params}}}"#, action.name)
    };
    actions.iter().map(written).collect::<Vec<_>>().join(", ")
}

/// Reads the calls of a block, in whichever notation.
pub(super) fn calls(notation: &Notation<'_>) -> Result<Vec<Call>, AnswerError> {
    let text = notation.text;
    match text.strip_prefix("<function=") {
        Some(call) => function(notation, call.trim_end().trim_end_matches("</function>")),
        None if is_python(text) => python(notation),
        None => match args(text) {
            Some(call) => Ok(vec![call]),
            None => values(notation),
        },
    }
}

/// One value after the other.
fn values(notation: &Notation<'_>) -> Result<Vec<Call>, AnswerError> {
    if let Ok(value) = json::parse(notation.text.as_bytes()) {
        return listed(vec![value]);
    }
    let mut values = Vec::new();
    let mut at = 0;
    loop {
        let read = lenient::value(&notation.text[at..], notation.is_whole);
        if let Some(problem) = read.problem {
            return Err(notation.broken(problem, at + read.length));
        }
        values.push(read.value);
        at += read.length;
        at = notation.gap(at);
        let rest = &notation.text[at..];
        if rest.is_empty() || (notation.is_open && !rest.starts_with(['{', '['])) {
            return listed(values);
        }
        // Objects may follow one another; what follows a list may be another reading of it.
        if !rest.starts_with('{') || !values.iter().all(Value::is_object) {
            return Err(AnswerError::Unreadable("more stands behind the first list".to_owned()));
        }
    }
}

/// `NAME(key="value")`, perhaps in `print()` or in a list, one after the other.
fn python(notation: &Notation<'_>) -> Result<Vec<Call>, AnswerError> {
    let is_list = notation.text.starts_with('[');
    let mut at = usize::from(is_list);
    let mut calls = Vec::new();
    loop {
        at = notation.gap(at);
        let rest = &notation.text[at..];
        if rest.is_empty() || (is_list && rest.trim_end() == "]") {
            return Ok(calls);
        }
        let is_printed = rest.starts_with("print(");
        let inner = rest.strip_prefix("print(").unwrap_or(rest);
        let name = path(inner);
        let Some(behind) = inner[name.len()..].strip_prefix('(').filter(|_| !name.is_empty())
        else {
            let more = "more stands there than calls".to_owned();
            return if notation.is_open && !calls.is_empty() {
                Ok(calls)
            } else {
                Err(AnswerError::Unreadable(more))
            };
        };
        let arguments = lenient::arguments(behind);
        at = notation.text.len() - behind.len() + arguments.length;
        if let Some(problem) = arguments.problem {
            return Err(notation.broken(problem, at));
        }
        if is_printed {
            if !notation.text[at..].starts_with(')') {
                return Err(notation.broken("a bracket is missing", at));
            }
            at += 1;
        }
        let name = name.strip_suffix(".call").unwrap_or(name);
        calls.push(Call::Python(name.to_owned(), arguments));
    }
}

/// `NAME>{...}`.
pub(super) fn function(notation: &Notation<'_>, text: &str) -> Result<Vec<Call>, AnswerError> {
    match text.split_once('>') {
        Some((name, params)) if notation.is_whole || json::parse(params.as_bytes()).is_ok() => {
            let name = name.trim().trim_matches('"');
            Ok(vec![Call::Named(name.to_owned(), params.trim().to_owned())])
        }
        _ => Err(AnswerError::Unclosed),
    }
}

/// A name with dots in it.
fn path(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

fn is_python(text: &str) -> bool {
    let text = text.strip_prefix('[').unwrap_or(text).trim_start();
    let name = path(text);
    !name.is_empty() && text[name.len()..].starts_with('(')
}

/// `NAME[ARGS]{...}`, as Mistral's newer models write it.
fn args(text: &str) -> Option<Call> {
    let name = path(text);
    let params = text[name.len()..].strip_prefix("[ARGS]").filter(|_| !name.is_empty())?;
    Some(Call::Named(name.to_owned(), params.trim().to_owned()))
}
