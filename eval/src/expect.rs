//! What is expected of an action: its name, and each parameter exactly or by what must be in it.

use protocol::{ActionName, Object};
use serde::Deserialize;
use serde_json::Value;

/// An action that should come.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Its name.
    pub name: ActionName,
    /// Each parameter that it has to have; others it must not have.
    #[serde(default)]
    pub params: Object,
    /// Another action that does the same for the user; it may have more parameters.
    #[serde(default)]
    pub or: Option<ActionName>,
}

impl Expected {
    /// Whether these are the parameters that are expected: each of them, and no other.
    #[must_use]
    pub fn fits(&self, name: &str, params: &Object) -> bool {
        let is_other = self.or.as_ref().is_some_and(|other| other.as_str() == name);
        let wanted = |key: &String| is_other || self.params.contains_key(key);
        let fitting = |(key, expected): (&String, &Value)| match params.get(key) {
            Some(value) => fits(expected, value),
            None => is_optional(expected),
        };
        let is_one = is_other || self.name.as_str() == name;
        is_one && params.keys().all(wanted) && self.params.iter().all(fitting)
    }
}

/// What an object with one of these keys alone means.
const CONTAINS: &str = "contains";
const ANY: &str = "any";
const URL: &str = "url";
const MAYBE: &str = "maybe";

/// Whether `value` is what is expected. utterances.toml tells the forms.
fn fits(expected: &Value, value: &Value) -> bool {
    match matcher(expected) {
        Some((CONTAINS, Value::Array(pieces))) => {
            let text = shown(value).to_lowercase();
            pieces.iter().all(|piece| text.contains(&shown(piece).to_lowercase()))
        }
        Some((ANY | MAYBE, Value::Array(choices))) => {
            choices.iter().any(|choice| fits(choice, value))
        }
        Some((URL, Value::String(rest))) => value.as_str().is_some_and(|url| is_url(url, rest)),
        _ => expected == value,
    }
}

fn matcher(expected: &Value) -> Option<(&str, &Value)> {
    let object = expected.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(key, value)| (key.as_str(), value))
}

fn is_optional(expected: &Value) -> bool {
    matches!(matcher(expected), Some((MAYBE, _)))
}

/// Whether `url` is `rest` behind `http://` or `https://`, perhaps with a `/` at its end.
fn is_url(url: &str, rest: &str) -> bool {
    let behind = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    behind.is_some_and(|behind| behind.strip_suffix('/').unwrap_or(behind) == rest)
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_fit_as_the_file_says() {
        let fitting = [
            (json!("X"), json!("X")),
            (json!({"contains": ["may", "ANNA"]}), json!({"Anna": "3 May"})),
            (json!({"any": ["Rom", {"contains": ["rome"]}]}), json!("Rome, Italy")),
            (json!({"url": "example.com/a"}), json!("https://example.com/a/")),
            (json!({"url": "example.com"}), json!("http://example.com")),
        ];
        for (expected, value) in fitting {
            assert!(fits(&expected, &value), "{expected} {value}");
        }
        let unfit = [
            (json!("X"), json!("x")),
            (json!({"contains": ["may", "tom"]}), json!("May")),
            (json!({"any": []}), json!("Rome")),
            (json!({"url": "example.com"}), json!("example.com")),
            (json!({"url": "example.com"}), json!("https://example.com/b")),
            (json!({"a": 1, "b": 2}), json!({"a": 1})),
        ];
        for (expected, value) in unfit {
            assert!(!fits(&expected, &value), "{expected} {value}");
        }
    }

    #[test]
    fn a_parameter_more_or_less_is_wrong() {
        let expected: Expected = serde_json::from_value(
            json!({"name": "WEATHER", "params": {"city": "Graz", "day": {"maybe": ["today"]}}}),
        )
        .unwrap();
        let fits = |name: &str, params: Value| expected.fits(name, params.as_object().unwrap());
        assert!(fits("WEATHER", json!({"city": "Graz"})));
        assert!(fits("WEATHER", json!({"city": "Graz", "day": "today"})));
        assert!(!fits("WEATHER", json!({"city": "Graz", "day": "Friday"})));
        assert!(!fits("WEATHER", json!({"city": "Graz", "hour": 3})));
        assert!(!fits("WEATHER", json!({})));
        assert!(!fits("REMIND", json!({"city": "Graz"})));
    }

    #[test]
    fn another_action_may_do_the_same() {
        let expected: Expected = serde_json::from_value(
            json!({"name": "WEB_FETCH", "or": "_BROWSER_VISION", "params": {"url": {"url": "a.example"}}}),
        )
        .unwrap();
        let params = |value: Value| value.as_object().unwrap().clone();
        let fitting = params(json!({"url": "https://a.example", "question": "the price"}));
        assert!(expected.fits("_BROWSER_VISION", &fitting));
        assert!(!expected.fits("WEB_FETCH", &fitting));
        assert!(!expected.fits("_BROWSER_VISION", &params(json!({"url": "https://b.example"}))));
    }
}
