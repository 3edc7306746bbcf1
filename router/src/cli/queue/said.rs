//! What a command of `queue` says: to people in words, to programs as one JSON document.

use std::io::{BufRead, IsTerminal, Write};

use protocol::Object;
use secrets::Secrets;
use serde_json::Value;

use crate::catalog::printable;

/// What is said, twice.
#[derive(Debug)]
pub(super) struct Said {
    words: String,
    document: Object,
}

impl Said {
    /// `document` must have the form of an object.
    pub(super) fn new(words: String, document: Value) -> Self {
        let document = match document {
            Value::Object(document) => document,
            other => Object::from_iter([("value".to_owned(), other)]),
        };
        Self { words, document }
    }

    /// For people: without secrets, and without anything that a terminal would act on.
    pub(super) fn text(&self, secrets: &Secrets) -> String {
        let words = secrets.redact(&self.words);
        words.lines().flat_map(|line| [printable(line), "\n".to_owned()]).collect()
    }

    /// For programs: without secrets.
    pub(super) fn json(&self, secrets: &Secrets) -> String {
        format!("{:#}\n", Value::Object(secrets.redact_object(self.document.clone())))
    }
}

/// Asks a person for a yes; `None` when there is nobody to ask. The question goes to stderr, for stdout may be
/// a document.
pub(in crate::cli) fn ask(question: &str, secrets: &Secrets) -> std::io::Result<Option<bool>> {
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let question = secrets.redact(question);
    let lines: Vec<String> = question.lines().map(printable).collect();
    let mut stderr = std::io::stderr();
    write!(stderr, "{} [y/N] ", lines.join("\n"))?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(Some(matches!(answer.trim(), "y" | "Y" | "yes")))
}
