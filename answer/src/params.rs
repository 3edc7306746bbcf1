//! Holds an action's parameters against its card: mends what can only mean one thing, and says what does not fit.
//!
//! It is a light check, so that the model hears of a slip at once. The router validates fully all the same.

use protocol::{ActionCard, Object, json};
use serde_json::{Number, Value};

use super::error::{ActionError, ParamError, shown};
use super::name::plain;

/// How long the description of a parameter's values may be in an error, in bytes.
const SHAPE_LIMIT: usize = 160;

/// How many parameters an error describes.
const SHAPE_PARAMS: usize = 16;

/// The parameters as the card wants them.
///
/// # Errors
/// [`ActionError::Misfit`] with the action's right shape.
pub(super) fn fit(card: &ActionCard, given: Object) -> Result<Object, ActionError> {
    fitted(card, given).map_err(|problem| misfit(card, problem))
}

/// Values without a name are the one parameter of a card that has one.
///
/// # Errors
/// As [`fit`].
pub(super) fn named(card: &ActionCard, mut values: Vec<Value>) -> Result<Object, ActionError> {
    match (values.pop(), card.params.keys().next()) {
        (None, _) => Ok(Object::new()),
        (Some(value), Some(name)) if values.is_empty() && card.params.len() == 1 => {
            Ok(Object::from_iter([(name.clone(), value)]))
        }
        _ => Err(misfit(card, ParamError::Nameless)),
    }
}

/// The parameter of the card that `given` names.
pub(super) fn name<'c>(card: &'c ActionCard, given: &str) -> Option<&'c String> {
    if let Some((name, _)) = card.params.get_key_value(given) {
        return Some(name);
    }
    let wanted = plain(given).filter(|_| !given.contains(' '))?;
    let mut alike = card.params.keys().filter(|name| plain(name).as_ref() == Some(&wanted));
    alike.next().filter(|_| alike.next().is_none())
}

fn misfit(card: &ActionCard, problem: ParamError) -> ActionError {
    ActionError::Misfit { problem, shape: shape(card) }
}

fn fitted(card: &ActionCard, given: Object) -> Result<Object, ParamError> {
    let mut params = Object::new();
    for (key, value) in given {
        let name = name(card, &key).ok_or_else(|| ParamError::Unknown(shown(&key)))?;
        if params.contains_key(name) {
            return Err(ParamError::Twice(shown(name)));
        }
        // What may be left out and is null is left out.
        if value.is_null() && card.optional.contains(name) && !allows(&card.params[name], "null") {
            continue;
        }
        params.insert(name.clone(), valued(name, &card.params[name], value)?);
    }
    let missing = card
        .params
        .keys()
        .find(|name| !params.contains_key(*name) && !card.optional.contains(name));
    missing.map_or(Ok(params), |name| Err(ParamError::Missing(shown(name))))
}

/// The value as the schema wants it.
fn valued(name: &str, schema: &Value, value: Value) -> Result<Value, ParamError> {
    let value = match &value {
        Value::String(text) if !allows(schema, "string") => other(schema, text).unwrap_or(value),
        Value::String(text) if schema.get("format").is_some_and(|format| format == "uri") => {
            address(text).map_or(value, Value::String)
        }
        Value::Number(number) if !allows(schema, "number") => {
            integer(number).map_or(value, Value::Number)
        }
        _ => value,
    };
    if !kinds(&value).iter().any(|kind| allows(schema, kind)) {
        let wanted = schema.get("type").map(written).unwrap_or_default();
        return Err(ParamError::Kind { name: shown(name), kind: json::kind(&value), wanted });
    }
    match schema.get("enum").and_then(Value::as_array) {
        Some(values) => one_of(name, values, value),
        None => Ok(value),
    }
}

/// Whether a value of this kind may stand there, as far as `type` says it.
fn allows(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => true,
    }
}

/// What JSON Schema calls a value of this kind.
fn kinds(value: &Value) -> &'static [&'static str] {
    match value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        Value::Number(number) if integer(number).is_some() => &["integer", "number"],
        Value::Number(_) => &["number"],
        Value::String(_) => &["string"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
    }
}

/// The address that a host without `https://` means, with or without a path.
fn address(text: &str) -> Option<String> {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = host.contains('.')
        && host.split('.').all(|label| !label.is_empty())
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));
    is_host.then(|| format!("https://{text}"))
}

/// The number or the boolean that a text is, if the schema wants one and the text is written as JSON would.
fn other(schema: &Value, text: &str) -> Option<Value> {
    let is_number = allows(schema, "number") || allows(schema, "integer");
    let value = match text {
        "true" | "True" if allows(schema, "boolean") => Value::Bool(true),
        "false" | "False" if allows(schema, "boolean") => Value::Bool(false),
        _ if is_number => Value::Number(text.parse().ok()?),
        _ => return None,
    };
    // What is written differently has lost something, such as digits.
    let written = value.to_string();
    let is_lossless = value.is_boolean() || written == text;
    is_lossless.then_some(value)
}

/// The number without a fraction of zero, if it is whole and exact.
fn integer(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    // Up to 2^53 every whole number is exact.
    let float =
        number.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9_007_199_254_740_992.0)?;
    format!("{float:.0}").parse().ok()
}

fn one_of(name: &str, values: &[Value], value: Value) -> Result<Value, ParamError> {
    if values.contains(&value) {
        return Ok(value);
    }
    let lower = value.as_str().map(str::to_lowercase);
    let mut alike =
        values.iter().filter(|one| lower.is_some() && one.as_str().map(str::to_lowercase) == lower);
    match (alike.next(), alike.next()) {
        (Some(one), None) => Ok(one.clone()),
        _ => Err(ParamError::NotOneOf { name: shown(name), value: shown(&value.to_string()) }),
    }
}

/// The action as it has to be written: `{"name": "A", "params": {"text": string, "to"?: "X" or "Y"}}`.
fn shape(card: &ActionCard) -> String {
    let param = |(name, schema): (&String, &Value)| {
        let mark = if card.optional.contains(name) { "?" } else { "" };
        format!("{:?}{mark}: {}", shown(name), wanted(schema))
    };
    let mut params: Vec<String> = card.params.iter().take(SHAPE_PARAMS).map(param).collect();
    if card.params.len() > SHAPE_PARAMS {
        params.push("...".to_owned());
    }
    format!("{{\"name\": \"{}\", \"params\": {{{}}}}}", card.name, params.join(", "))
}

fn wanted(schema: &Value) -> String {
    let mut wanted = match schema.get("enum").and_then(Value::as_array) {
        Some(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "),
        None => schema.get("type").map_or_else(|| "anything".to_owned(), written),
    };
    if wanted.len() > SHAPE_LIMIT {
        wanted.truncate(wanted.floor_char_boundary(SHAPE_LIMIT));
        wanted.push_str("...");
    }
    wanted
}

/// A schema's `type` in words.
fn written(kind: &Value) -> String {
    match kind {
        Value::String(one) => one.clone(),
        Value::Array(several) => several.iter().map(written).collect::<Vec<_>>().join(" or "),
        _ => "anything".to_owned(),
    }
}
