//! What is wrong with a `config.json`, in words for the person who wrote it.

use std::path::{Path, PathBuf};

use protocol::json::JsonError;
use serde_json::Value;

use crate::FileError;

/// A `config.json` that can't be used, or can't be changed as asked.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not JSON, or no object.
    #[error("{}: {why}; mend it, or remove it to start with the defaults again", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and how it breaks.
        why: JsonError,
    },
    /// There is no such key.
    #[error("{}: there is no key {key}{}", path.display(), hint(nearest.as_deref()))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The path of the key, such as `llm.modle`.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// A value does not fit its key.
    #[error("{}: {key} is {found}, but has to be {expected}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The path of the key.
        key: String,
        /// What stands there, shortened.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A value that was to be set does not fit its key.
    #[error("nothing was changed: {key} can't be {wanted}, it has to be {expected}")]
    Unfit {
        /// The path of the key.
        key: String,
        /// What was to stand there, shortened.
        wanted: String,
        /// What would be right.
        expected: String,
    },
}

impl ConfigError {
    /// From serde's `message` on the value `found` at `key`.
    pub(super) fn value(path: &Path, key: &str, found: Option<&Value>, message: &str) -> Self {
        let key = if key == "." { "the whole" } else { key };
        let found = found.map_or_else(|| "wrong".to_owned(), shown);
        Self::Value { path: path.to_owned(), key: key.to_owned(), found, expected: wanted(message) }
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |key| format!("; did you mean {key}?"))
}

/// The value as JSON, cut so that a message stays a line, and before what may be a password in an address.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if let Some((before, rest)) = text.split_once("://")
        && rest.contains(['@', '?', '#'])
    {
        return format!("{before}://...");
    }
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// What serde expected, without the names of Rust's types. Its messages read
/// `invalid type: ..., expected u64` and ``unknown variant `a`, expected `b` or `c` ``; a type's own check
/// says what it likes.
fn wanted(message: &str) -> String {
    let Some((_, expected)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not negative".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        other if other == "a map" || other.starts_with("struct ") => "an object".to_owned(),
        other => other.to_owned(),
    }
}
