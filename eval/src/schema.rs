//! What a server is told of the actions besides the prompt: a schema that forces the form of an answer, or tools.

use protocol::ActionCard;
use serde_json::{Value, json};

/// How many actions the schema lets an answer ask for.
const MOST: usize = 4;

/// `{thought, asks_for, actions, message}` with one branch for each action. First what is wanted in a few words, then
/// its name or `talk`: whatever a small model has written so, it keeps to.
#[must_use]
pub fn schema(cards: &[&ActionCard]) -> Value {
    let branch = |card: &&ActionCard| {
        json!({
            "type": "object",
            "properties": {"name": {"const": card.name}, "params": card.params_schema()},
            "required": ["name", "params"],
            "additionalProperties": false,
        })
    };
    let branches: Vec<Value> = cards.iter().map(branch).collect();
    let names: Vec<&str> = cards.iter().map(|card| card.name.as_str()).collect();
    let most = if branches.is_empty() { 0 } else { MOST };
    let shapes: Vec<Value> = (0..=most).map(|count| shape(&names, count)).collect();
    json!({"$defs": {"action": {"anyOf": branches}}, "anyOf": shapes})
}

/// The answer that asks for so many actions: a model that has named two would else stop after the first.
fn shape(names: &[&str], count: usize) -> Value {
    let asked = match count {
        0 => json!({"type": "array", "minItems": 1, "maxItems": 1, "items": {"const": "talk"}}),
        _ => {
            json!({"type": "array", "minItems": count, "maxItems": count, "items": {"enum": names}})
        }
    };
    let actions = match count {
        0 => json!({"type": "array", "maxItems": 0, "items": {"type": "null"}}),
        _ => json!({
            "type": "array", "minItems": count, "maxItems": count,
            "items": {"$ref": "#/$defs/action"},
        }),
    };
    json!({
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": 90},
            "asks_for": asked,
            "actions": actions,
            "message": {"type": "string"},
        },
        "required": ["thought", "asks_for", "actions", "message"],
        "additionalProperties": false,
    })
}

/// The actions as OpenAI lists tools.
#[must_use]
pub fn tools(cards: &[&ActionCard]) -> Vec<Value> {
    let tool = |card: &&ActionCard| {
        json!({"type": "function", "function": {
            "name": card.name, "description": card.instruction, "parameters": card.params_schema(),
        }})
    };
    cards.iter().map(tool).collect()
}
