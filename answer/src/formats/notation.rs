//! The text of a block, before its calls are read.

use protocol::json;
use serde_json::Value;

use super::Call;
use crate::error::AnswerError;
use crate::found::Block;
use crate::lenient;
use crate::mark::{FENCE, Form};

/// The text of a block, and what is known of its end.
pub(super) struct Notation<'t> {
    pub(super) text: &'t str,
    pub(super) is_whole: bool,
    /// Words may stand behind the calls.
    pub(super) is_open: bool,
}

impl<'t> Notation<'t> {
    /// The text of this block.
    pub(super) fn of(block: &'t Block) -> Self {
        let (text, is_fence_closed) = unfenced(&block.text);
        Self {
            text,
            is_whole: block.is_whole || is_fence_closed,
            is_open: block.form == Form::Open,
        }
    }

    /// Where the next call begins behind white space, comments and what separates calls.
    pub(super) fn gap(&self, mut at: usize) -> usize {
        loop {
            at += lenient::blank(&self.text[at..]);
            if !self.text[at..].starts_with([',', ';']) {
                return at;
            }
            at += 1;
        }
    }

    /// A text that is not whole and broken at its end was cut.
    pub(super) fn broken(&self, problem: &str, at: usize) -> AnswerError {
        if at >= self.text.len() && !self.is_whole {
            return AnswerError::Unclosed;
        }
        AnswerError::Unreadable(problem.to_owned())
    }
}

/// The calls that values are: one list of them, or one or several objects.
pub(super) fn listed(mut values: Vec<Value>) -> Result<Vec<Call>, AnswerError> {
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
