//! Reads a block: which calls stand in it, in whichever notation.

use protocol::json;
use serde_json::Value;

use super::Action;
use super::envelope::BESIDE_MESSAGE;
use super::error::{ActionError, AnswerError, shown};
use super::form;
use super::found::Block;
use super::lenient::{self, Arguments};
use super::mark::Form;
use super::marks::FENCE;
use super::name::Cards;

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

/// The calls of a block.
///
/// # Errors
/// [`AnswerError`]: they can't be read, or they are none.
pub(super) fn calls(block: &Block) -> Result<Vec<Call>, AnswerError> {
    let (text, is_fence_closed) = unfenced(&block.text);
    let notation = Notation {
        text,
        is_whole: block.is_whole || is_fence_closed,
        is_open: block.form == Form::Open,
    };
    match block.form {
        Form::Function => notation.function(text),
        Form::Envelope => notation.envelope(),
        Form::Values | Form::Open => match text.strip_prefix("<function=") {
            Some(function) => {
                notation.function(function.trim_end().trim_end_matches("</function>"))
            }
            None if is_python(text) => notation.python(),
            None => match args(text) {
                Some(call) => Ok(vec![call]),
                None => notation.values(),
            },
        },
    }
}

/// The text of a block, and what is known of its end.
struct Notation<'t> {
    text: &'t str,
    is_whole: bool,
    /// Words may stand behind the calls.
    is_open: bool,
}

impl Notation<'_> {
    /// One value after the other.
    fn values(&self) -> Result<Vec<Call>, AnswerError> {
        if let Ok(value) = json::parse(self.text.as_bytes()) {
            return listed(vec![value]);
        }
        let mut values = Vec::new();
        let mut at = 0;
        loop {
            let read = lenient::value(&self.text[at..], self.is_whole);
            if let Some(problem) = read.problem {
                return Err(self.broken(problem, at + read.length));
            }
            values.push(read.value);
            at += read.length;
            at = self.gap(at);
            let rest = &self.text[at..];
            if rest.is_empty() || (self.is_open && !rest.starts_with(['{', '['])) {
                return listed(values);
            }
            // Objects may follow one another; what follows a list may be another reading of it.
            if !rest.starts_with('{') || !values.iter().all(Value::is_object) {
                return Err(AnswerError::Unreadable(
                    "more stands behind the first list".to_owned(),
                ));
            }
        }
    }

    /// `NAME(key="value")`, perhaps in `print()` or in a list, one after the other.
    fn python(&self) -> Result<Vec<Call>, AnswerError> {
        let is_list = self.text.starts_with('[');
        let mut at = usize::from(is_list);
        let mut calls = Vec::new();
        loop {
            at = self.gap(at);
            let rest = &self.text[at..];
            if rest.is_empty() || (is_list && rest.trim_end() == "]") {
                return Ok(calls);
            }
            let is_printed = rest.starts_with("print(");
            let inner = rest.strip_prefix("print(").unwrap_or(rest);
            let name = path(inner);
            let Some(behind) = inner[name.len()..].strip_prefix('(').filter(|_| !name.is_empty())
            else {
                let more = "more stands there than calls".to_owned();
                return if self.is_open && !calls.is_empty() {
                    Ok(calls)
                } else {
                    Err(AnswerError::Unreadable(more))
                };
            };
            let arguments = lenient::arguments(behind);
            at = self.text.len() - behind.len() + arguments.length;
            if let Some(problem) = arguments.problem {
                return Err(self.broken(problem, at));
            }
            if is_printed {
                if !self.text[at..].starts_with(')') {
                    return Err(self.broken("a bracket is missing", at));
                }
                at += 1;
            }
            let name = name.strip_suffix(".call").unwrap_or(name);
            calls.push(Call::Python(name.to_owned(), arguments));
        }
    }

    /// `NAME>{...}`.
    fn function(&self, text: &str) -> Result<Vec<Call>, AnswerError> {
        match text.split_once('>') {
            Some((name, params)) if self.is_whole || json::parse(params.as_bytes()).is_ok() => {
                let name = name.trim().trim_matches('"');
                Ok(vec![Call::Named(name.to_owned(), params.trim().to_owned())])
            }
            _ => Err(AnswerError::Unclosed),
        }
    }

    /// The actions of an object that is a whole answer. Its message was shown when it came.
    fn envelope(&self) -> Result<Vec<Call>, AnswerError> {
        let read = lenient::value(self.text, self.is_whole);
        let strict = json::parse(self.text.as_bytes());
        let value = match (strict, read.problem) {
            (Ok(value), _) => value,
            (_, None) if self.text[read.length..].trim().is_empty() => read.value,
            (_, problem) => {
                return Err(self.broken(problem.unwrap_or("more stands behind it"), read.length));
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

    /// Where the next call begins behind white space, comments and what separates calls.
    fn gap(&self, mut at: usize) -> usize {
        loop {
            at += lenient::blank(&self.text[at..]);
            if !self.text[at..].starts_with([',', ';']) {
                return at;
            }
            at += 1;
        }
    }

    /// A text that is not whole and broken at its end was cut.
    fn broken(&self, problem: &str, at: usize) -> AnswerError {
        if at >= self.text.len() && !self.is_whole {
            return AnswerError::Unclosed;
        }
        AnswerError::Unreadable(problem.to_owned())
    }
}

/// The calls that values are: one list of them, or one or several objects.
fn listed(mut values: Vec<Value>) -> Result<Vec<Call>, AnswerError> {
    let list = match values.pop() {
        Some(Value::Array(list)) if values.is_empty() => list,
        Some(value @ Value::Object(_)) => {
            values.push(value);
            values
        }
        other => return Err(AnswerError::NotAList(json::kind(&other.unwrap_or_default()))),
    };
    Ok(list.into_iter().map(Call::Value).collect())
}

/// The block without a code fence just inside its tags, and whether that was closed.
fn unfenced(block: &str) -> (&str, bool) {
    let block = block.trim();
    let Some(inside) = block.strip_prefix(FENCE) else { return (block, false) };
    let inside = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim();
    let end = inside.trim_end_matches('`');
    (end.trim_end(), end.len() < inside.len())
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
