//! The JSON Schema of an answer, made of the actions' cards.
//!
//! Servers turn a schema into a grammar and know a part of JSON Schema only, so what is kept is what all of
//! them know. Nothing is lost: the router checks the parameters against the whole card.

use protocol::ActionCard;
use serde_json::{Map, Value, json};

/// How many actions the schema lets an answer ask for: each number has a shape of its own, and nobody asks for more
/// at once.
const ACTIONS: usize = 4;

/// How long a thought may be, in characters: a dozen words.
const THOUGHT: usize = 90;

/// The keywords that are kept. Lengths are not: a grammar counts them out, which takes a server minutes.
const KEPT: [&str; 6] =
    ["type", "enum", "const", "description", "required", "additionalProperties"];

/// An answer with so many actions.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// How many it asks for.
    pub actions: usize,
    /// What may be thought before; anything short, if it is empty.
    pub thoughts: Vec<String>,
    /// Which they are, one by one; any of the offered ones, if it is empty.
    pub each: Vec<ActionCard>,
}

impl Shape {
    /// So many, after any thought.
    #[must_use]
    pub fn free(actions: usize) -> Self {
        Self::of(actions, Vec::new())
    }

    /// So many, after one of these thoughts.
    #[must_use]
    pub fn of(actions: usize, thoughts: Vec<String>) -> Self {
        Self { actions, thoughts, each: Vec::new() }
    }
}

/// An answer `{thought, actions}` with some of the actions, or `{thought, actions, message}` with none. First what is wanted
/// in a few words: whatever a small model has written so, it keeps to (`cargo xtask eval`). It has one of `shapes`, or any
/// without a word on them. Where the model talks in a request of its own, nothing `says` a message.
#[must_use]
pub fn schema(cards: &[&ActionCard], shapes: Option<&[Shape]>, says: bool) -> Value {
    let branches: Vec<Value> = cards.iter().copied().map(action).collect();
    let most = if branches.is_empty() { 0 } else { ACTIONS };
    let shapes: Vec<Value> = match shapes {
        Some(shapes) => shapes.iter().map(|shape| answer_of(shape, says)).collect(),
        None => (0..=most).map(|count| answer_of(&Shape::free(count), says)).collect(),
    };
    json!({"$defs": {"action": {"anyOf": branches}}, "anyOf": shapes})
}

/// The answer that asks for so many actions: a model that has named two would else stop after the first.
fn answer_of(shape: &Shape, says: bool) -> Value {
    let count = shape.actions;
    let thought = match shape.thoughts.as_slice() {
        [] => json!({"type": "string", "maxLength": THOUGHT}),
        thoughts => json!({"type": "string", "enum": thoughts}),
    };
    let several = |items: Value, most: usize| json!({"type": "array", "minItems": most, "maxItems": most, "items": items});
    let actions = match count {
        _ if !shape.each.is_empty() => in_order(&shape.each),
        0 => several(json!({"type": "null"}), 0),
        _ => several(json!({"$ref": "#/$defs/action"}), count),
    };
    let mut properties = json!({"thought": thought, "actions": actions});
    let mut required = vec!["thought", "actions"];
    // Who acts speaks when the results are there.
    if count == 0 && says {
        properties["message"] = json!({"type": "string"});
        required.push("message");
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// These actions, each in its place.
fn in_order(cards: &[ActionCard]) -> Value {
    let each: Vec<Value> = cards.iter().map(action).collect();
    json!({"type": "array", "minItems": each.len(), "maxItems": each.len(), "prefixItems": each})
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
pub(crate) fn params(card: &ActionCard) -> Value {
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
        let shapes = schema(&[], None, true);
        assert_eq!(shapes["anyOf"].as_array().map(Vec::len), Some(1));
        assert_eq!(shapes["anyOf"][0]["properties"]["actions"]["maxItems"], 0);
    }

    #[test]
    fn as_many_actions_are_written_as_were_named() {
        let a = card(json!({"a": {"type": "string"}}), &[]);
        for (count, shape) in
            schema(&[&a], None, true)["anyOf"].as_array().unwrap().iter().enumerate()
        {
            let properties = &shape["properties"];
            assert_eq!(properties["actions"]["minItems"], count);
            assert_eq!(properties["actions"]["maxItems"], count);
            // Who acts speaks later.
            assert_eq!(properties.get("message").is_some(), count == 0);
        }
    }

    #[test]
    fn an_answer_has_one_of_the_shapes_that_are_wished_for() {
        let a = card(json!({"a": {"type": "string"}}), &[]);
        let b = card(json!({"b": {"type": "string"}}), &[]);
        let three = Shape { actions: 3, thoughts: vec!["a; a; a".to_owned()], each: Vec::new() };
        let each = Shape { each: vec![b.clone(), a.clone()], ..Shape::free(2) };
        let shapes = schema(&[&a], Some(&[Shape::free(0), three, each]), true)["anyOf"].clone();
        let properties = |place: usize| shapes[place]["properties"].clone();
        assert_eq!(shapes.as_array().map(Vec::len), Some(3));
        assert_eq!(properties(0)["actions"]["maxItems"], 0);
        assert_eq!(properties(0)["thought"], json!({"type": "string", "maxLength": THOUGHT}));
        assert_eq!(properties(1)["actions"]["minItems"], 3);
        assert_eq!(properties(1)["thought"], json!({"type": "string", "enum": ["a; a; a"]}));
        let each = properties(2)["actions"].clone();
        assert_eq!((&each["minItems"], &each["maxItems"]), (&json!(2), &json!(2)));
        assert_eq!(each["prefixItems"], json!([action(&b), action(&a)]));
    }
}
