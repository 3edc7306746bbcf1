//! What the agent knows, by key.

use std::borrow::Cow;

use protocol::{Object, json};
use serde_json::Value;

use super::{Document, document};

/// Key -> value, in the order in which they were first written. A value is usually a text, and may be
/// any JSON.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory(pub Object);

impl Memory {
    /// The value of a key as people read it: a text without quotes, anything else as JSON.
    #[must_use]
    pub fn shown(value: &Value) -> Cow<'_, str> {
        match value {
            Value::String(text) => text.into(),
            other => other.to_string().into(),
        }
    }
}

impl Document for Memory {
    /// Enough for 2,000 keys of 4 kB each.
    const LIMIT: u64 = 16 * 1024 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        match document::json(text)? {
            Value::Object(object) => Ok(Self(object)),
            other => Err(format!("it is {}, not an object", json::kind(&other))),
        }
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}
