//! Reads values the way small models write them: JSON, and what comes near to it.
//!
//! What is tolerated has one meaning only: single and typographic quotation marks, Python's literals,
//! keys without quotation marks, comments, trailing commas, line breaks in texts, and, where the text is known to be
//! whole, closing brackets that are missing or too many at its very end. What could mean two things is refused:
//! a key that stands twice, a text that is open at the end, a comma that is missing, a word where a value belongs.
//! Each byte is looked at a bounded number of times, and nothing is nested deeper than in JSON from the wire.

mod text;

use protocol::Object;
use protocol::json::MAX_DEPTH;
use serde_json::Value;

use text::ends_text;

/// What was read, and where it ended.
pub(super) struct Read {
    /// The value as far as it could be read.
    pub(super) value: Value,
    /// How many bytes it takes.
    pub(super) length: usize,
    /// Why it could not be read on.
    pub(super) problem: Option<&'static str>,
}

/// The parameters of a call that is written like one of Python.
pub(super) struct Arguments {
    /// Those that stand without a name.
    pub(super) positional: Vec<Value>,
    /// Those with a name.
    pub(super) named: Object,
    /// How many bytes they take, the closing bracket included.
    pub(super) length: usize,
    /// Why they could not be read on.
    pub(super) problem: Option<&'static str>,
}

/// The first value of `text`. `whole` says that the text is certainly not cut off, so that brackets which are
/// missing at its end were forgotten.
pub(super) fn value(text: &str, whole: bool) -> Read {
    let mut reader = Reader { text, at: 0, whole, depth: 0, problem: None };
    let value = reader.value();
    Read { value, length: reader.at, problem: reader.problem }
}

/// The parameters behind the opening bracket of a call.
pub(super) fn arguments(text: &str) -> Arguments {
    let mut reader = Reader { text, at: 0, whole: false, depth: 0, problem: None };
    let (positional, named) = reader.arguments();
    Arguments { positional, named, length: reader.at, problem: reader.problem }
}

/// How many bytes of white space and comments `text` begins with.
pub(super) fn blank(text: &str) -> usize {
    let mut reader = Reader { text, at: 0, whole: false, depth: 0, problem: None };
    reader.skip();
    reader.at
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    whole: bool,
    depth: usize,
    /// The first thing that is wrong; nothing is read after it.
    problem: Option<&'static str>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let is_there = self.peek() == Some(expected);
        self.at += if is_there { expected.len_utf8() } else { 0 };
        is_there
    }

    fn fail(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            let rest = self.rest();
            let comment = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else { return self.fail("a comment has no end") };
                end + 2
            } else {
                return;
            };
            self.at += comment;
        }
    }

    fn value(&mut self) -> Value {
        self.skip();
        match self.peek() {
            _ if self.problem.is_some() => Value::Null,
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::list),
            Some(c) if ends_text(c).is_some() => Value::String(self.text()),
            Some(_) => self.word(),
            None => {
                self.fail("it ends where a value belongs");
                Value::Null
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Value) -> Value {
        if self.depth == MAX_DEPTH {
            self.fail("it is nested too deeply");
            return Value::Null;
        }
        self.at += 1;
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Value {
        let mut object = Object::new();
        while !self.closes('}') {
            let key = self.key();
            self.skip();
            if self.problem.is_none() && !self.take(':') {
                self.fail("a colon is missing behind a key");
            }
            let value = self.value();
            if self.problem.is_some() && value.is_null() {
                break;
            }
            self.put(&mut object, key, value);
            self.comma('}');
        }
        Value::Object(object)
    }

    fn list(&mut self) -> Value {
        let mut list = Vec::new();
        while !self.closes(']') {
            let value = self.value();
            if self.problem.is_some() && value.is_null() {
                break;
            }
            list.push(value);
            self.comma(']');
        }
        Value::Array(list)
    }

    fn arguments(&mut self) -> (Vec<Value>, Object) {
        let (mut positional, mut named) = (Vec::new(), Object::new());
        while !self.closes(')') {
            let name = word(self.rest());
            let behind = self.rest()[name.len()..].trim_start();
            if !name.is_empty() && behind.starts_with('=') && !behind.starts_with("==") {
                self.at = self.text.len() - behind.len() + 1;
                let value = self.value();
                self.put(&mut named, name.to_owned(), value);
            } else if named.is_empty() {
                positional.push(self.value());
            } else {
                self.fail("a parameter without a name stands behind one with a name");
            }
            self.comma(')');
        }
        (positional, named)
    }

    fn put(&mut self, object: &mut Object, key: String, value: Value) {
        if object.contains_key(&key) {
            return self.fail("a key stands twice");
        }
        object.insert(key, value);
    }

    /// Takes the comma in front of the next member; a closing bracket may stand there as well.
    fn comma(&mut self, close: char) {
        self.skip();
        let is_end = self.peek() == Some(close) || self.is_closing_run();
        if self.problem.is_none() && !self.take(',') && !is_end {
            self.fail("a comma or a closing bracket is missing");
        }
    }

    /// Whether the list or the object ends here.
    fn closes(&mut self, close: char) -> bool {
        self.skip();
        if self.problem.is_some() {
            return true;
        }
        if self.is_closing_run() {
            if self.depth == 1 {
                self.at = self.text.len();
            } else {
                self.take(close);
            }
            return true;
        }
        if self.peek().is_none() {
            self.fail("it ends before its brackets are closed");
        }
        self.take(close) || self.problem.is_some()
    }

    /// Whether the text is whole and nothing but closing brackets is left of it: whatever they are, they close what
    /// is open.
    fn is_closing_run(&self) -> bool {
        let rest = self.rest();
        let is_closer = |c: char| matches!(c, ']' | '}') || c.is_whitespace();
        // A run is at most as long as what can be open, and a little.
        self.whole && rest.len() <= 2 * MAX_DEPTH && rest.chars().all(is_closer)
    }

    fn key(&mut self) -> String {
        self.skip();
        match self.peek() {
            Some(c) if ends_text(c).is_some() => self.text(),
            _ => {
                let key = word(self.rest());
                if key.is_empty() {
                    self.fail("a key is missing");
                }
                self.at += key.len();
                key.to_owned()
            }
        }
    }

    /// A number or one of the literals of JSON and Python.
    fn word(&mut self) -> Value {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || ",:{}[]()\"'/#".contains(c);
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => match word.parse::<serde_json::Number>() {
                Ok(number) => Value::Number(number),
                Err(_) => {
                    self.fail("a word stands where a value belongs; texts need quotation marks");
                    return Value::Null;
                }
            },
        };
        self.at += word.len();
        // A number at the end may be the beginning of another one.
        if self.rest().is_empty() && !self.whole {
            self.fail("it ends before its brackets are closed");
        }
        value
    }
}

/// The name that `text` begins with, as far as it is one without quotation marks.
pub(super) fn word(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests;
