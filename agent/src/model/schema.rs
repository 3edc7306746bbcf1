//! The JSON Schema of an answer, made of the actions' cards.
//!
//! Servers turn a schema into a grammar and know a part of JSON Schema only, so what is kept is what all of
//! them know. Nothing is lost: the router checks the parameters against the whole card.

use protocol::ActionCard;
use serde_json::{Map, Value, json};

use crate::prompt::NOTHING;

/// How many actions the schema lets an answer ask for: each number has a shape of its own, and nobody asks for more
/// at once.
const ACTIONS: usize = 4;

/// How long a thought may be, in characters: a dozen words.
const THOUGHT: usize = 90;

/// The keywords that are kept. Lengths are not: a grammar counts them out, which takes a server minutes.
const KEPT: [&str; 6] =
    ["type", "enum", "const", "description", "required", "additionalProperties"];

/// An answer `{thought, asks_for, actions, message}` with some of the actions. First what is wanted in a few words, then
/// its name or `talk`: whatever a small model has written so, it keeps to (`cargo xtask eval`). If it asks for any, then
/// for at least `least` of them.
pub(super) fn answer(cards: &[&ActionCard], least: usize) -> Value {
    let branches: Vec<Value> = cards.iter().copied().map(action).collect();
    let names: Vec<&str> = cards.iter().map(|card| card.name.as_str()).collect();
    let most = if branches.is_empty() { 0 } else { ACTIONS };
    let counts = (0..=most).filter(|count| *count == 0 || *count >= least.min(most));
    let shapes: Vec<Value> = counts.map(|count| shape(&names, count)).collect();
    json!({"$defs": {"action": {"anyOf": branches}}, "anyOf": shapes})
}

/// The answer that asks for so many actions: a model that has named two would else stop after the first.
fn shape(names: &[&str], count: usize) -> Value {
    let several = |items: Value, most: usize| json!({"type": "array", "minItems": most, "maxItems": most, "items": items});
    let (asked, actions) = match count {
        0 => (
            several(json!({"type": "string", "enum": [NOTHING]}), 1),
            several(json!({"type": "null"}), 0),
        ),
        _ => (
            several(json!({"type": "string", "enum": names}), count),
            several(json!({"$ref": "#/$defs/action"}), count),
        ),
    };
    json!({
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": THOUGHT},
            "asks_for": asked,
            "actions": actions,
            "message": {"type": "string"},
        },
        "required": ["thought", "asks_for", "actions", "message"],
        "additionalProperties": false,
    })
}

fn action(card: &ActionCard) -> Value {
    json!({
        "type": "object",
        "properties": {
            // The same as a `const`, which Gemini does not know.
            "name": {"type": "string", "enum": [card.name.to_string()]},
            "params": params(card),
        },
        "required": ["name", "params"],
        "additionalProperties": false,
    })
}

/// The parameters of an action.
pub(super) fn params(card: &ActionCard) -> Value {
    let properties: Map<String, Value> =
        card.params.iter().map(|(name, schema)| (name.clone(), plain(schema))).collect();
    let required: Vec<&String> =
        card.params.keys().filter(|name| !card.optional.contains(*name)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The part of a schema that every server knows.
fn plain(schema: &Value) -> Value {
    let Some(schema) = schema.as_object() else { return json!({}) };
    let mut plain_schema = Map::new();
    for (keyword, value) in schema {
        let value = match keyword.as_str() {
            "properties" => value.as_object().map(|properties| {
                properties.iter().map(|(name, schema)| (name.clone(), plain(schema))).collect()
            }),
            "items" => Some(plain(value)),
            "anyOf" | "oneOf" => {
                value.as_array().map(|branches| branches.iter().map(plain).collect())
            }
            kept if KEPT.contains(&kept) => Some(value.clone()),
            _ => None,
        };
        let keyword = if keyword == "oneOf" { "anyOf" } else { keyword };
        plain_schema.extend(value.map(|value| (keyword.to_owned(), value)));
    }
    plain_schema.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(params: Value, optional: &[&str]) -> ActionCard {
        let card = json!({"name": "A", "params": params, "optional": optional});
        serde_json::from_value(card).unwrap()
    }

    #[test]
    fn what_some_servers_do_not_know_is_left_out() {
        let card = card(
            json!({
                "a": "words, as the first version wrote them",
                "b": {"type": "string", "maxLength": 9, "pattern": "^x$", "format": "date", "default": "x"},
                "c": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
                "d": {"oneOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
                "e": {"type": "object", "properties": {"f": {"type": "number", "multipleOf": 2}}, "required": ["f"]},
                "g": true,
            }),
            &["b", "nowhere"],
        );
        let expected = json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "words, as the first version wrote them"},
                "b": {"type": "string"},
                "c": {"type": "array", "items": {"type": "integer"}},
                "d": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "e": {"type": "object", "properties": {"f": {"type": "number"}}, "required": ["f"]},
                "g": {},
            },
            "required": ["a", "c", "d", "e", "g"],
            "additionalProperties": false,
        });
        assert_eq!(params(&card), expected);
    }

    #[test]
    fn without_actions_none_may_be_asked_for() {
        let shapes = answer(&[], 1);
        assert_eq!(shapes["anyOf"].as_array().map(Vec::len), Some(1));
        assert_eq!(shapes["anyOf"][0]["properties"]["actions"]["maxItems"], 0);
    }

    #[test]
    fn as_many_actions_are_written_as_were_named() {
        let a = card(json!({"a": {"type": "string"}}), &[]);
        for (count, shape) in answer(&[&a], 1)["anyOf"].as_array().unwrap().iter().enumerate() {
            let properties = &shape["properties"];
            assert_eq!(properties["actions"]["minItems"], count);
            assert_eq!(properties["actions"]["maxItems"], count);
            assert_eq!(properties["asks_for"]["minItems"], count.max(1));
            let named = if count == 0 { "talk" } else { "A" };
            assert_eq!(properties["asks_for"]["items"]["enum"], json!([named]));
        }
    }

    #[test]
    fn whoever_asks_for_several_things_is_not_cut_short() {
        let a = card(json!({"a": {"type": "string"}}), &[]);
        let counts = |least| -> Vec<u64> {
            let shapes = answer(&[&a], least);
            let count =
                |shape: &Value| shape["properties"]["actions"]["maxItems"].as_u64().unwrap();
            shapes["anyOf"].as_array().unwrap().iter().map(count).collect()
        };
        assert_eq!(counts(0), [0, 1, 2, 3, 4]);
        assert_eq!(counts(3), [0, 3, 4]);
        assert_eq!(counts(9), [0, 4]);
    }
}
