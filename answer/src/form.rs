//! The shapes in which models write a call once it is a value: which key is the name, and where the parameters are.

use protocol::{ActionCard, Object, json};
use serde_json::Value;

use super::Action;
use super::error::{ActionError, shown};
use super::name::{self, Cards};
use super::{lenient, params};

/// The keys that hold a name.
const NAME: [&str; 5] = ["name", "tool", "action", "function", "type"];

/// The keys that hold the parameters.
const PARAMS: [&str; 4] = ["params", "parameters", "arguments", "args"];

/// The keys that servers put beside a call and that say nothing about it.
const BESIDE: [&str; 3] = ["id", "index", "call_id"];

/// The action that `value` is.
///
/// # Errors
/// [`ActionError`].
pub(super) fn action(value: Value, cards: Cards<'_>) -> Result<Action, ActionError> {
    let Value::Object(mut object) = value else {
        return Err(ActionError::NotAnObject(json::kind(&value)));
    };
    if matches!(object.get("function"), Some(Value::Object(_))) {
        let function = object.shift_remove("function").unwrap_or_default();
        object.retain(|key, value| {
            !(BESIDE.contains(&key.as_str()) || key == "type" && value == "function")
        });
        return match object.keys().next() {
            Some(key) => Err(ActionError::UnknownKey(shown(key))),
            None => action(function, cards),
        };
    }
    let card = named(&mut object, cards)?;
    let given = match parameters(&mut object)? {
        Some(given) => {
            nothing_beside(&object)?;
            given
        }
        None => flattened(object, card)?,
    };
    finish(card, given)
}

/// The action of that name with these parameters, which are JSON in a text or nothing at all.
///
/// # Errors
/// [`ActionError`].
pub(super) fn call(given: &str, text: &str, cards: Cards<'_>) -> Result<Action, ActionError> {
    let card = name::card(given, cards)?;
    finish(card, unpacked(Value::String(text.to_owned()))?)
}

/// The action of that name with parameters as a call in Python has them.
///
/// # Errors
/// [`ActionError`].
pub(super) fn python(
    given: &str,
    values: lenient::Arguments,
    cards: Cards<'_>,
) -> Result<Action, ActionError> {
    let card = name::card(given, cards)?;
    if values.positional.is_empty() {
        return finish(card, values.named);
    }
    if !values.named.is_empty() {
        return Err(ActionError::TwoParams);
    }
    finish(card, params::named(card, values.positional)?)
}

/// Whether `value`, perhaps read in part, is meant as a call: it names an action that there is, or has the two parts
/// of a call.
pub(super) fn is_call(value: &Value, cards: Cards<'_>) -> bool {
    match value {
        Value::Array(list) => list.first().is_some_and(|first| is_call(first, cards)),
        Value::Object(object) => {
            let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
            let is_named = |key: &&str| match object.get(*key) {
                Some(Value::String(given)) => {
                    name::find(given, cards).is_some() || name::is_shouted(given)
                }
                Some(inner @ Value::Object(_)) => *key == "function" && is_call(inner, cards),
                _ => false,
            };
            let is_typed = object.get("type").is_some_and(|kind| kind == "function");
            NAME.iter().any(is_named)
                || has(&["tool_calls"])
                || (has(&NAME[..4]) && has(&PARAMS) && !is_typed)
        }
        _ => false,
    }
}

fn finish(card: &ActionCard, given: Object) -> Result<Action, ActionError> {
    Ok(Action { name: card.name.clone(), params: params::fit(card, given)? })
}

/// Takes the name out of the object: the one key for names that holds an action's, or else the usual one.
fn named<'c>(object: &mut Object, cards: Cards<'c>) -> Result<&'c ActionCard, ActionError> {
    let texts = || NAME.into_iter().filter_map(|key| Some((key, object.get(key)?.as_str()?)));
    let mut known = texts().filter_map(|(key, given)| Some((key, name::find(given, cards)?)));
    let found = match (known.next(), known.next()) {
        (Some(_), Some(_)) => return Err(ActionError::TwoNames),
        (Some((key, card)), None) => Some((key, card)),
        _ => None,
    };
    if let Some((key, card)) = found {
        object.shift_remove(key);
        return Ok(card);
    }
    match (texts().next(), object.get("name")) {
        (Some((_, given)), _) => name::card(given, cards),
        (None, Some(other)) => Err(ActionError::NameKind(json::kind(other))),
        (None, None) => Err(ActionError::NoName),
    }
}

/// Takes the parameters out of the object, if they stand in one place.
fn parameters(object: &mut Object) -> Result<Option<Object>, ActionError> {
    let mut keys = PARAMS.into_iter().filter(|key| object.contains_key(*key));
    match (keys.next(), keys.next()) {
        (Some(_), Some(_)) => Err(ActionError::TwoParams),
        (Some(key), None) => unpacked(object.shift_remove(key).unwrap_or_default()).map(Some),
        _ => Ok(None),
    }
}

/// The object that parameters are, also when it stands in a text.
fn unpacked(value: Value) -> Result<Object, ActionError> {
    match value {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(Object::new()),
        Value::String(text) if text.trim().is_empty() => Ok(Object::new()),
        Value::String(text) => match read(&text)? {
            Value::Object(object) => Ok(object),
            Value::Null => Ok(Object::new()),
            // Some servers encode once more.
            Value::String(inner) if inner.is_empty() => Ok(Object::new()),
            Value::String(inner) => match read(&inner)? {
                Value::Object(object) => Ok(object),
                other => Err(ActionError::Params(json::kind(&other))),
            },
            other => Err(ActionError::Params(json::kind(&other))),
        },
        other => Err(ActionError::Params(json::kind(&other))),
    }
}

fn read(text: &str) -> Result<Value, ActionError> {
    if let Ok(value) = json::parse(text.as_bytes()) {
        return Ok(value);
    }
    if text.len() > json::MAX_BYTES {
        return Err(ActionError::ParamsText("they are too large"));
    }
    let read = lenient::value(text, false);
    match read.problem {
        Some(problem) => Err(ActionError::ParamsText(problem)),
        None if text[read.length..].trim().is_empty() => Ok(read.value),
        None => Err(ActionError::ParamsText("more stands behind the object")),
    }
}

fn nothing_beside(object: &Object) -> Result<(), ActionError> {
    let is_odd = |key: &&String| {
        !(BESIDE.contains(&key.as_str()) || (*key == "type" && object[*key] == "function"))
    };
    match object.keys().find(is_odd) {
        Some(key) => Err(ActionError::UnknownKey(shown(key))),
        None => Ok(()),
    }
}

/// What stands beside the name, when it is the card's parameters themselves.
fn flattened(mut object: Object, card: &ActionCard) -> Result<Object, ActionError> {
    let is_param = |key: &str| params::name(card, key).is_some();
    object.retain(|key, value| {
        is_param(key) || !(BESIDE.contains(&key.as_str()) || (key == "type" && value == "function"))
    });
    match object.keys().find(|key| !is_param(key)) {
        Some(key) => Err(ActionError::UnknownKey(shown(key))),
        None => Ok(object),
    }
}
