//! A piece of text that may be a call without a tag: waits until it has ended, and judges what it is.

use protocol::Object;
use protocol::json::MAX_BYTES;
use serde_json::Value;

use super::form::is_call;
use super::formats::json::envelope::BESIDE_MESSAGE;
use super::lenient;
use super::mark::{FENCE, Form};
use super::name::Cards;
use super::scan::Scan;

/// What is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A code fence, whose content begins so many bytes behind its beginning.
    Fence {
        /// Where the content begins.
        start: usize,
        /// Its language says that it holds calls.
        is_certain: bool,
    },
    /// A list or an object.
    Value,
    /// A line that calls a known action.
    Python,
    /// What follows the message of an answer that is one object.
    Tail,
}

/// How far it is.
pub(super) enum Step {
    /// More has to come.
    More,
    /// It ends after so many bytes.
    End(usize),
}

#[derive(Debug)]
pub(super) struct Held {
    pub(super) kind: Kind,
    /// Its own end was seen.
    pub(super) is_closed: bool,
    scan: Scan,
    /// How many bytes were looked at.
    at: usize,
    /// How many backticks in a row were seen last, and whether a line began with them.
    ticks: usize,
    is_line_start: bool,
    /// All brackets of a call are closed.
    is_done: bool,
}

impl Held {
    pub(super) fn new(kind: Kind) -> Self {
        let scan = if kind == Kind::Tail { Scan::within() } else { Scan::default() };
        let at = if let Kind::Fence { start, .. } = kind { start } else { 0 };
        Self { kind, is_closed: false, scan, at, ticks: 0, is_line_start: true, is_done: false }
    }

    /// Looks at what of `text` is new.
    pub(super) fn look(&mut self, text: &str, is_ended: bool) -> Step {
        let end = text.floor_char_boundary(MAX_BYTES + FENCE.len());
        for c in text[self.at.min(end)..end].chars() {
            let is_over = match self.kind {
                Kind::Fence { .. } => self.fenced(c),
                Kind::Value | Kind::Tail => self.scan.take(c),
                // What stands in the same line behind the call says that it is none.
                Kind::Python if self.is_done && c == '\n' => {
                    self.is_closed = true;
                    return Step::End(self.at);
                }
                Kind::Python => {
                    self.is_done |= self.scan.take(c);
                    false
                }
            };
            self.at += c.len_utf8();
            if is_over {
                self.is_closed = true;
                return Step::End(self.at);
            }
        }
        if is_ended || end < text.len() { Step::End(end) } else { Step::More }
    }

    /// Whether the fence ends with this character: three backticks that are not part of a text, or begin a line.
    fn fenced(&mut self, c: char) -> bool {
        if c == '`' {
            self.ticks += 1;
            return self.ticks == FENCE.len() && (self.is_line_start || !self.scan.is_in_text());
        }
        self.scan.take(c);
        self.is_line_start = c == '\n' || (self.is_line_start && c.is_whitespace());
        self.ticks = 0;
        false
    }

    /// What of it stands inside its fence.
    pub(super) fn inside<'t>(&self, text: &'t str) -> &'t str {
        match self.kind {
            Kind::Fence { start, .. } => text[start..].trim_end().trim_end_matches('`'),
            _ => text,
        }
    }

    /// What it is, with the message if it is a whole answer; `None` if it is words.
    pub(super) fn judge(&self, inside: &str, cards: Cards<'_>) -> Option<(Form, Value)> {
        let is_certain = match self.kind {
            Kind::Tail => return Some((Form::Envelope, Value::Null)),
            // A call that was cut is no words.
            Kind::Python => {
                return (!self.is_done || ends_call(inside)).then_some((Form::Values, Value::Null));
            }
            Kind::Fence { is_certain, .. } => {
                is_certain || !inside.starts_with('{') && is_call_text(inside)
            }
            Kind::Value => false,
        };
        if is_certain {
            return Some((Form::Values, Value::Null));
        }
        let value = lenient::value(inside, self.is_closed).value;
        if let Value::Object(object) = &value
            && let Some(actions) = object.get("actions")
            && (is_envelope(object) || is_call(actions, cards))
        {
            return Some((Form::Envelope, object.get("message").cloned().unwrap_or_default()));
        }
        is_call(&value, cards).then_some((Form::Values, Value::Null))
    }
}

/// Whether the object has a key that only a whole answer has.
fn is_envelope(object: &Object) -> bool {
    let mut keys = ["message"].into_iter().chain(BESIDE_MESSAGE);
    keys.any(|key| object.contains_key(key))
}

/// Whether nothing but the call stands in its line.
fn ends_call(text: &str) -> bool {
    text.trim_end().ends_with([')', ';', ']'])
}

/// Whether a fence that was held holds calls as Python writes them, also in a list as Llama's small models do:
/// it was held because it begins with a value or with a known action.
fn is_call_text(text: &str) -> bool {
    let inside = text.strip_prefix('[').unwrap_or(text).trim_start();
    let name = lenient::word(inside);
    !name.is_empty() && inside[name.len()..].starts_with('(')
}
