//! What a file holds.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The content of a file, as text and as a value.
pub trait Document: Clone + PartialEq {
    /// The largest file that is read or written, in bytes.
    const LIMIT: u64;

    /// Reads the text. What is wrong with a part that can be left out goes to `left_out`, in words.
    ///
    /// # Errors
    /// Words that say why the text is no such document, such as `it is a list, not an object`.
    fn from_text(text: &str, left_out: &mut Vec<String>) -> Result<Self, String>;

    /// The text to write.
    fn to_text(&self) -> String;
}

/// A document that is its own JSON, and that is read whole or not at all.
pub trait Json: Clone + PartialEq + Serialize + DeserializeOwned {
    /// The largest file that is read or written, in bytes.
    const LIMIT: u64;
}

impl<T: Json> Document for T {
    const LIMIT: u64 = <T as Json>::LIMIT;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        json(text)
    }

    fn to_text(&self) -> String {
        pretty(self)
    }
}

/// Reads JSON that the user may have written by hand.
///
/// # Errors
/// Words that say what is wrong. An empty file says so, because that is what a full disk leaves behind.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))
}

/// JSON as people like to read it.
#[must_use]
pub fn pretty(value: &impl Serialize) -> String {
    // Texts, numbers, lists and objects with text keys always have a JSON form.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
