//! The parts of an example's parameters that other sentences may fill differently.

use protocol::ActionCard;
use serde_json::Value;

/// A part of an example's parameters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    /// Where it is, as a JSON Pointer (RFC 6901); of a key, where its object is.
    pub(super) at: String,
    /// What stands there in the example.
    pub(super) text: String,
    /// What may stand there.
    pub(super) takes: Takes,
}

/// What may stand in the place of a [`Leaf`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Takes {
    /// Any text.
    Text,
    /// The address of a page.
    Address,
    /// One of these, in any case.
    OneOf(Vec<String>),
    /// A number.
    Number,
    /// The name of a key, in an object whose keys are free.
    Key,
}

/// All of them in the parameters of an example of `card`.
pub(super) fn leaves(card: &ActionCard, params: &Value) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(params, &card.params_schema(), String::new(), &mut found);
    found
}

fn collect(value: &Value, schema: &Value, at: String, found: &mut Vec<Leaf>) {
    match value {
        Value::String(text) => {
            found.push(Leaf { at, text: text.clone(), takes: text_kind(text, schema) });
        }
        Value::Number(number) => {
            found.push(Leaf { at, text: number.to_string(), takes: Takes::Number });
        }
        Value::Array(list) => {
            for (index, item) in list.iter().enumerate() {
                collect(item, &schema["items"], format!("{at}/{index}"), found);
            }
        }
        Value::Object(object) => {
            let known = &schema["properties"];
            for (key, inner) in object {
                if known.is_null() {
                    found.push(Leaf { at: at.clone(), text: key.clone(), takes: Takes::Key });
                }
                collect(inner, &known[key.as_str()], format!("{at}/{}", escaped(key)), found);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn text_kind(text: &str, schema: &Value) -> Takes {
    match schema["enum"].as_array() {
        Some(values) => {
            Takes::OneOf(values.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        }
        None if text.starts_with("http://") || text.starts_with("https://") => Takes::Address,
        None => Takes::Text,
    }
}

/// A key as a part of a JSON Pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
