//! Reads JSON that nobody vouches for: bounded in size and depth, and with no key twice.
//!
//! A key that stands twice means one thing to a reader that takes the first and another to a reader that
//! takes the last, so it is refused instead of resolved.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::Object;

/// The largest JSON text that a command, a reply of a skill or an action block may have: 256 KiB.
pub const MAX_BYTES: usize = 256 * 1024;

/// How deep arrays and objects may be nested in it.
pub const MAX_DEPTH: usize = 32;

/// Why a text was not taken as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text is larger than the limit; it was not looked at.
    #[error("{size} bytes are over the limit of {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The text is not JSON, or is nested too deeply, or has a key twice.
    #[error("{0}")]
    Syntax(String),
    /// The text is JSON, but no object.
    #[error("it is {0}, not an object")]
    NotAnObject(&'static str),
}

/// How large and how deep a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes.
    pub bytes: usize,
    /// The most levels of arrays and objects.
    pub depth: usize,
}

/// What holds for a command, a skill's result and an action block.
pub const BOUNDS: Bounds = Bounds { bytes: MAX_BYTES, depth: MAX_DEPTH };

/// Reads one JSON value within [`BOUNDS`].
///
/// # Errors
/// [`JsonError::TooLarge`] before anything is parsed, [`JsonError::Syntax`] with line and column.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    parse_within(bytes, BOUNDS)
}

/// Reads one JSON value within other bounds.
///
/// # Errors
/// As [`parse`].
pub fn parse_within(bytes: &[u8], bounds: Bounds) -> Result<Value, JsonError> {
    if bytes.len() > bounds.bytes {
        return Err(JsonError::TooLarge { size: bytes.len(), limit: bounds.bytes });
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let strict = Strict { depth: 0, most: bounds.depth };
    let value = strict.deserialize(&mut reader).map_err(syntax)?;
    reader.end().map_err(syntax)?;
    Ok(value)
}

/// Reads one JSON object within the same limits.
///
/// # Errors
/// As [`parse`], and [`JsonError::NotAnObject`].
pub fn parse_object(bytes: &[u8]) -> Result<Object, JsonError> {
    object(parse(bytes)?)
}

/// The object that `value` is.
///
/// # Errors
/// [`JsonError::NotAnObject`].
pub fn object(value: Value) -> Result<Object, JsonError> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(JsonError::NotAnObject(kind(&other))),
    }
}

/// What kind of JSON value this is, in words for an error: `a list`, `null`, ...
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the shape that map_err wants")]
fn syntax(error: serde_json::Error) -> JsonError {
    JsonError::Syntax(error.to_string())
}

/// Builds a [`Value`] and refuses what [`parse`] refuses.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
    most: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth == self.most {
            return Err(E::custom(format_args!("nested deeper than {} levels", self.most)));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = seq.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut object = Object::new();
        while let Some(key) = map.next_key::<String>()? {
            if object.contains_key(&key) {
                let shown: String = key.chars().take(80).collect();
                return Err(A::Error::custom(format_args!("the key {shown:?} stands twice")));
            }
            let value = map.next_value_seed(inside)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_a_key_that_stands_twice_at_any_depth() {
        for text in [r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"a":1}}]"#, r#"{"a":1,"\u0061":2}"#] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("stands twice"), "{error}");
        }
    }

    #[test]
    fn refuses_what_is_nested_too_deeply_without_descending() {
        let at_the_limit = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(parse(at_the_limit.as_bytes()).is_ok());
        let over = "[".repeat(100_000);
        assert!(parse(over.as_bytes()).unwrap_err().to_string().contains("deeper than 32"));
    }

    #[test]
    fn refuses_what_is_too_large_before_it_parses() {
        let size = MAX_BYTES + 1;
        assert_eq!(parse(&vec![0xff; size]), Err(JsonError::TooLarge { size, limit: MAX_BYTES }));
    }

    #[test]
    fn refuses_trailing_text_bad_bytes_and_numbers_that_are_none() {
        for bad in [&b"{} {}"[..], b"\xff", b"NaN", b"", b"{\"a\":1e999}", b"\"\xc3\x28\""] {
            assert!(matches!(parse(bad), Err(JsonError::Syntax(_))), "{bad:?}");
        }
    }

    #[test]
    fn says_what_stands_there_instead_of_an_object() {
        assert_eq!(parse_object(b"[1]"), Err(JsonError::NotAnObject("a list")));
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_what_serde_json_wrote(
            keys in proptest::collection::hash_set("[a-z]{1,4}", 0..6), number: i64, text: String,
        ) {
            let object: Object =
                keys.into_iter().map(|k| (k, serde_json::json!([number, text, null, {"x": true}]))).collect();
            let value = Value::Object(object);
            prop_assert_eq!(parse(value.to_string().as_bytes()).unwrap(), value);
        }

        #[test]
        fn never_panics(bytes: Vec<u8>) {
            let _ = parse(&bytes);
        }
    }
}
