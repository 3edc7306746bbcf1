//! The skills' secrets: read from router/.env, handed to the proxy alone, and taken out of every text that
//! leaves the router.

use std::collections::BTreeMap;

use protocol::Object;
use serde_json::Value;

/// Shorter values are not searched for: they stand in ordinary text by chance.
const SHORTEST: usize = 6;

/// What stands where a secret stood.
const REDACTED: &str = "[secret]";

/// Name -> value. Printing it shows the names alone.
#[derive(Clone, Default)]
pub struct Secrets {
    values: BTreeMap<String, String>,
}

impl Secrets {
    /// Takes over every value of router/.env.
    #[must_use]
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let values =
            values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { values }
    }

    /// Whether there is a secret of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The secret of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// `text` with every secret in it replaced.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in self.values.values().filter(|value| value.len() >= SHORTEST) {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), REDACTED);
            }
        }
        text
    }

    /// The same for every text in `object`, keys included.
    #[must_use]
    pub fn redact_object(&self, object: Object) -> Object {
        object
            .into_iter()
            .map(|(key, value)| (self.redact(&key), self.redact_value(value)))
            .collect()
    }

    fn redact_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(list) => {
                Value::Array(list.into_iter().map(|item| self.redact_value(item)).collect())
            }
            Value::Object(object) => Value::Object(self.redact_object(object)),
            other => other,
        }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_taken_out_of_every_text() {
        let secrets = Secrets::new([("X_TOKEN", "hunter2!"), ("SHORT", "ab")]);
        let object = json!({"a": ["x hunter2! y", {"hunter2!": 1}], "b": "ab"});
        let redacted = secrets.redact_object(object.as_object().unwrap().clone());
        assert_eq!(
            Value::Object(redacted),
            json!({"a": ["x [secret] y", {"[secret]": 1}], "b": "ab"})
        );
    }

    #[test]
    fn printing_shows_names_alone() {
        assert_eq!(format!("{:?}", Secrets::new([("X_TOKEN", "hunter2!")])), r#"{"X_TOKEN"}"#);
    }
}
