//! Whether anything connects a message with an action: if nothing does, a small model is not asked to choose one, and just
//! talks.
//!
//! A word connects when few cards have it (its inverse document frequency over the cards' own texts) and a card says it more
//! than once, or begins an example with it. A message in whose language no card speaks is one of which nothing can be said, and
//! the model is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use conversation::workspace::SOUL;
use protocol::ActionCard;
use serde_json::Value;

use super::form::RULES;
use super::tongue::is_foreign;
use super::words::{plain_words, words_of_kind};

/// How many cards may have a word that still tells one of them.
const FEW: usize = 2;

/// How often a card has to say what connects it.
const SAID: usize = 2;

/// From which share of known words on a message is in a language that the cards speak.
const KNOWN: f64 = 0.34;

/// The words that a model reads in every prompt: they say nothing of what a message wants.
static OWN: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| [SOUL, RULES].into_iter().flat_map(plain_words).collect());

/// What connects a message with cards.
#[derive(Debug)]
pub struct Connected<'c> {
    /// The cards that a word of the message tells.
    told: Vec<&'c ActionCard>,
    /// Whether the message is in a language that the cards speak, as far as one can tell.
    is_known: bool,
}

impl<'c> Connected<'c> {
    /// Holds `message` against the cards: the local ones, then the router's.
    pub fn of(message: &str, cards: [&'c [ActionCard]; 2]) -> Self {
        let cards: Vec<&ActionCard> = cards.into_iter().flatten().collect();
        let said: Vec<BTreeMap<String, usize>> = cards.iter().map(|card| said(card)).collect();
        let words: BTreeSet<String> = plain_words(message).collect();
        let having = |word: &str| said.iter().filter(|said| said.contains_key(word)).count();
        let tells = |word: &&String| {
            (words_of_kind(word) || !OWN.contains(*word)) && (1..=FEW).contains(&having(word))
        };
        let telling: Vec<&String> = words.iter().filter(tells).collect();
        let support = |said: &BTreeMap<String, usize>| {
            telling.iter().filter_map(|word| said.get(*word)).sum::<usize>()
        };
        let told = cards.iter().zip(&said).filter(|(_, said)| support(said) >= SAID);
        let told = told.map(|(card, _)| *card).collect();
        let known = words.iter().filter(|word| OWN.contains(*word) || having(word) > 0).count();
        let is_known = !is_foreign(message) || known as f64 >= KNOWN * words.len() as f64;
        Self { told, is_known }
    }

    /// Whether nothing connects the message with any of the cards.
    pub fn is_talk(&self) -> bool {
        self.told.is_empty() && self.is_known
    }

    /// Whether a word tells this card.
    pub fn tells(&self, name: &str) -> bool {
        self.told.iter().any(|card| card.name.as_str() == name)
    }
}

/// How often a card says which words: in its name, in what it is for, in the values that it lists, and in what people say
/// without the values of that.
fn said(card: &ActionCard) -> BTreeMap<String, usize> {
    let listed = card.params.values().filter_map(|schema| schema.get("enum")?.as_array());
    let listed: Vec<&str> = listed.flatten().filter_map(Value::as_str).collect();
    let listed: BTreeSet<String> = plain_words(&listed.join(" ")).collect();
    let mut counts = BTreeMap::new();
    let mut count = |words: BTreeSet<String>, times: usize| {
        for word in words {
            let times = if words_of_kind(&word) { SAID } else { times };
            *counts.entry(word).or_default() += times;
        }
    };
    count(plain_words(&card.name.as_str().replace('_', " ")).collect(), 1);
    count(plain_words(&card.instruction).collect(), 1);
    for example in &card.examples {
        let values = plain_words(&texts(&Value::Object(example.params.clone()))).collect();
        let is_value = |word: &String| {
            let values: &BTreeSet<String> = &values;
            values.contains(word) && !listed.contains(word) && !words_of_kind(word)
        };
        let says: Vec<String> = plain_words(&example.say).filter(|word| !is_value(word)).collect();
        count(says.iter().take(1).cloned().collect(), 1);
        count(says.into_iter().collect(), 1);
    }
    count(listed.clone(), SAID);
    counts
}

/// All keys and texts in a value.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(list) => list.iter().map(texts).collect::<Vec<_>>().join(" "),
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| format!("{key} {}", texts(value)))
            .collect::<Vec<_>>()
            .join(" "),
        Value::Bool(_) | Value::Null => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::cards::{agent_cards, router_cards};

    #[test]
    fn what_no_word_connects_with_an_action_is_talk() {
        let cards = [agent_cards(), router_cards()];
        let cards = [cards[0].as_slice(), cards[1].as_slice()];
        for (message, is_talk) in [
            ("Can you say what an egg is?", true),
            ("When is it done, in your own words?", true),
            ("Publish 'Hi' on X, please.", false),
            ("What is on https://example.org?", false),
            ("Remember that it is done.", false),
            // Nothing is known of this language.
            ("Jak se jmenuje nejdelší řeka?", false),
        ] {
            assert_eq!(Connected::of(message, cards).is_talk(), is_talk, "{message}");
        }
        assert!(Connected::of("Remember that it is done.", cards).tells("_MEMORY_WRITE"));
        assert!(!Connected::of("Jak se jmenuješ?", cards).tells("_MEMORY_WRITE"));
    }
}
