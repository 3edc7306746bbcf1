//! The JSON Schema of an answer, made of the actions' cards.
//!
//! Servers turn a schema into a grammar and know a part of JSON Schema only, so what is kept is what all of
//! them know. Nothing is lost: the router checks the parameters against the whole card.

use protocol::ActionCard;
use serde_json::{Map, Value, json};

/// How many actions one answer may ask for.
const ACTIONS: usize = 8;

/// The keywords that are kept. Lengths are not: a grammar counts them out, which takes a server minutes.
const KEPT: [&str; 6] =
    ["type", "enum", "const", "description", "required", "additionalProperties"];

/// An answer with a message and some of the actions.
pub(super) fn answer<'a>(cards: impl IntoIterator<Item = &'a ActionCard>) -> Value {
    let branches: Vec<Value> = cards.into_iter().map(action).collect();
    let (items, most) = match branches.is_empty() {
        true => (json!({"type": "object"}), 0),
        false => (json!({"anyOf": branches}), ACTIONS),
    };
    json!({
        "type": "object",
        "properties": {
            "message": {"type": "string"},
            "actions": {"type": "array", "items": items, "maxItems": most},
        },
        "required": ["message", "actions"],
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

/// The same as OpenAI's strict mode wants it: everything is required, and what may be left out may be null.
/// `None` if it holds an object with parts that nobody named, which that mode does not know.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    let mut schema = schema.as_object()?.clone();
    if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
        let branches: Option<Vec<Value>> = branches.iter().map(strict).collect();
        schema.insert("anyOf".to_owned(), branches?.into());
    }
    if let Some(items) = schema.get("items") {
        let items = strict(items)?;
        schema.insert("items".to_owned(), items);
    }
    if schema.get("type").is_some_and(|kind| kind == "object") {
        let properties = schema.get("properties")?.as_object()?.clone();
        let required = schema.get("required").cloned().unwrap_or_default();
        let is_required = |name: &String| {
            required.as_array().is_some_and(|all| all.iter().any(|one| one == name))
        };
        let mut all = Map::new();
        for (name, property) in &properties {
            let property = strict(property)?;
            let property = if is_required(name) {
                property
            } else {
                json!({"anyOf": [property, {"type": "null"}]})
            };
            all.insert(name.clone(), property);
        }
        schema.insert("required".to_owned(), all.keys().cloned().collect());
        schema.insert("properties".to_owned(), all.into());
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    Some(schema.into())
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
        assert_eq!(answer([])["properties"]["actions"]["maxItems"], 0);
    }

    #[test]
    fn strict_mode_requires_everything_and_knows_no_open_objects() {
        let closed = card(json!({"a": {"type": "string"}, "b": {"type": "integer"}}), &["b"]);
        let strict_params = strict(&params(&closed)).unwrap();
        assert_eq!(strict_params["required"], json!(["a", "b"]));
        assert_eq!(
            strict_params["properties"]["b"],
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]})
        );
        assert!(strict(&answer([&closed])).is_some());
        let open = card(json!({"a": {"type": "object"}}), &[]);
        assert_eq!(strict(&answer([&closed, &open])), None);
    }
}
