//! The values of a parameter that lists them, as far as the message tells which.

use std::collections::BTreeSet;

use protocol::ActionCard;
use serde_json::{Value, json};

use crate::handed::wish;
use crate::relevance::Text;
use crate::said::Said;
use crate::words::{names, value, words};

/// The listed values that the message names, or else those whose examples have a word of it that the others' lack: who says
/// `toot` means Mastodon.
pub(super) fn only(said: Said<'_>, card: &ActionCard, param: &str) -> Option<Value> {
    let schema = card.params.get(param)?;
    let listed = schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str);
    let listed: Vec<&str> = listed.collect();
    let is_listed_twice = card
        .params
        .iter()
        .any(|(name, other)| name != param && other.get("enum") == schema.get("enum"));
    if is_listed_twice {
        // `from` and `to` of the same kind: the words don't tell which is which.
        return None;
    }
    let mut some = named(said, &listed);
    if some.is_empty() {
        some = shown(said, card, param, &listed);
    }
    (!some.is_empty() && some.len() < listed.len()).then(|| json!({"type": "string", "enum": some}))
}

/// The listed values that the message names: as a word of it, or as several in a row.
pub(super) fn named<'l>(said: Said<'_>, listed: &[&'l str]) -> Vec<&'l str> {
    let text = Text::of_wish(said);
    let wishes: Vec<String> = said.texts().map(wish).collect();
    let is_named = |one: &&&str| {
        !text.values_of(&BTreeSet::from([value(one)])).is_empty()
            || wishes.iter().any(|wish| names(wish, one))
    };
    listed.iter().filter(is_named).copied().collect()
}

/// The values whose examples share a word with the message that no example of another value has. Examples of one value
/// alone say nothing of the others.
fn shown<'l>(said: Said<'_>, card: &ActionCard, param: &str, listed: &[&'l str]) -> Vec<&'l str> {
    let own: BTreeSet<String> = words(&card.instruction);
    let wished: BTreeSet<String> = said.texts().flat_map(|text| words(&wish(text))).collect();
    let of = |value: &str| -> BTreeSet<String> {
        let is_of = |found: &Value| found.as_str() == Some(value);
        let examples =
            card.examples.iter().filter(|example| example.params.get(param).is_some_and(is_of));
        examples.flat_map(|example| words(&wish(&example.say))).collect()
    };
    let shown: Vec<(&str, BTreeSet<String>)> = listed.iter().map(|one| (*one, of(one))).collect();
    if shown.iter().filter(|(_, words)| !words.is_empty()).count() < 2 {
        return Vec::new();
    }
    let is_told = |(value, words): &&(&str, BTreeSet<String>)| {
        let others = || shown.iter().filter(|(other, _)| other != value);
        let is_its_own = |word: &String| !others().any(|(_, words)| words.contains(word));
        words.iter().any(|word| wished.contains(word) && !own.contains(word) && is_its_own(word))
    };
    shown.iter().filter(is_told).map(|(value, _)| *value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platforms(message: &str) -> Value {
        let card = json!({
            "name": "POST", "instruction": "Publish a text.",
            "params": {"on": {"type": "string", "enum": ["X", "LinkedIn", "Mastodon"]}},
            "examples": [
                {"say": "Publish 'Hi' on X.", "params": {"on": "X"}},
                {"say": "Tweet 'Hi'.", "params": {"on": "X"}},
                {"say": "Toot 'Hi'.", "params": {"on": "Mastodon"}},
            ],
        });
        let card: ActionCard = serde_json::from_value(card).unwrap();
        only(Said::plainly(message), &card, "on").map_or(Value::Null, |only| only["enum"].clone())
    }

    fn only_of(message: &str, params: Value) -> Value {
        let card = json!({"name": "HEAT", "instruction": "Heat a room.", "params": params});
        let card: ActionCard = serde_json::from_value(card).unwrap();
        let name = card.params.keys().next().unwrap().clone();
        only(Said::plainly(message), &card, &name).map_or(Value::Null, |only| only["enum"].clone())
    }

    #[test]
    fn a_value_of_several_words_is_named_by_all_of_them_and_one_that_says_little_too() {
        let rooms = json!({"room": {"enum": ["living room", "kitchen"]}});
        assert_eq!(only_of("the living room, please", rooms.clone()), json!(["living room"]));
        assert_eq!(only_of("my room for living", rooms), Value::Null);
        let state = json!({"state": {"enum": ["on", "off"]}});
        assert_eq!(only_of("lights on", state.clone()), json!(["on"]));
        assert_eq!(only_of("back on, I turned it off by mistake", state), Value::Null);
    }

    #[test]
    fn of_two_parameters_with_the_same_values_nothing_tells_which_is_which() {
        let money = json!({"from": {"enum": ["EUR", "USD"]}, "to": {"enum": ["EUR", "USD"]}});
        assert_eq!(only_of("100 USD, please", money), Value::Null);
    }

    #[test]
    fn values_that_the_message_names_or_the_examples_have_for_its_words_are_the_only_ones() {
        for (message, expected) in [
            ("Put it on linkedin and X", json!(["X", "LinkedIn"])),
            ("Toot: on X it was warm", json!(["Mastodon"])),
            ("Tweet 'LinkedIn is down'", json!(["X"])),
            ("Publish it", Value::Null),
            ("Publish it on Twitter", Value::Null),
            ("on X, LinkedIn and Mastodon", Value::Null),
        ] {
            assert_eq!(platforms(message), expected, "{message}");
        }
    }

    #[test]
    fn examples_of_one_value_alone_say_nothing_of_the_others() {
        let card = json!({
            "name": "LIGHT", "instruction": "Turn it on.",
            "params": {"room": {"type": "string", "enum": ["kitchen", "garage"]}},
            "examples": [{"say": "Lamps on in the garage.", "params": {"room": "garage"}}],
        });
        let card: ActionCard = serde_json::from_value(card).unwrap();
        assert_eq!(only(Said::plainly("lamps on where I cook"), &card, "room"), None);
    }
}
