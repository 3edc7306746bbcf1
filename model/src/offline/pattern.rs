//! Turns an example of an action into a pattern for sentences like it.
//!
//! Whatever of the parameters stands verbatim in the example's sentence becomes a slot; the rest of the
//! sentence has to be said as it is, in any case, with any white space, any quotes, and with or without
//! the punctuation at its end.

use answer::Action;
use protocol::{ActionCard, Example, Object};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::leaves::{Leaf, Takes, leaves};

/// The quotes that stand for one another.
const QUOTES: &str = "'\"`´‘’‚‛“”„‟«»‹›「」";

/// How large a compiled pattern may be, in bytes; skills bring the examples, and nobody has read them.
const PATTERN_LIMIT: usize = 256 * 1024;

/// An example as a pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    action: Action,
    /// In the order of the pattern's groups.
    slots: Vec<Leaf>,
    /// How many characters have to be said as they are: of two patterns that fit, the one with more is
    /// meant.
    pub(super) literal: usize,
}

impl Pattern {
    /// The pattern of an example; `None` if the sentence says too little, for it would fit anything.
    pub(super) fn new(card: &ActionCard, example: &Example) -> Option<Self> {
        let say = example.say.trim().trim_end_matches(['.', '!', '?', '…', '。']);
        let slots = slots(say, leaves(card, &Value::Object(example.params.clone())));
        let (body, literal) = body(say, &slots);
        if literal < 3 {
            return None;
        }
        let regex = RegexBuilder::new(&format!(
            r"^\s*(?:please,?\s+)?{body}(?:,?\s+please)?\s*[.!?…。]*\s*$"
        ))
        .case_insensitive(true)
        .dot_matches_new_line(true)
        .size_limit(PATTERN_LIMIT)
        .build()
        .ok()?;
        let action = Action { name: card.name.clone(), params: example.params.clone() };
        Some(Self {
            regex,
            action,
            slots: slots.into_iter().map(|(_, leaf)| leaf).collect(),
            literal,
        })
    }

    /// The action that the sentence asks for, if it is one like the example.
    pub(super) fn matches(&self, sentence: &str) -> Option<Action> {
        let found = self.regex.captures(sentence)?;
        let mut params = Value::Object(self.action.params.clone());
        let said = |index: usize| found.get(index + 1).map_or("", |group| unquoted(group.as_str()));
        for (index, slot) in self.slots.iter().enumerate() {
            if slot.takes != Takes::Key {
                *params.pointer_mut(&slot.at)? = value(&slot.takes, said(index))?;
            }
        }
        for (index, slot) in
            self.slots.iter().enumerate().filter(|(_, slot)| slot.takes == Takes::Key)
        {
            rename(params.pointer_mut(&slot.at)?.as_object_mut()?, &slot.text, said(index));
        }
        let Value::Object(params) = params else { return None };
        Some(Action { name: self.action.name.clone(), params })
    }
}

fn value(takes: &Takes, said: &str) -> Option<Value> {
    match takes {
        Takes::OneOf(values) => {
            let same = |value: &&String| value.to_lowercase() == said.to_lowercase();
            values.iter().find(same).map(|value| value.as_str().into())
        }
        Takes::Number => serde_json::from_str(said).ok(),
        Takes::Text | Takes::Address | Takes::Key => (!said.is_empty()).then(|| said.into()),
    }
}

fn rename(object: &mut Object, old: &str, new: &str) {
    let new = new.split_whitespace().collect::<Vec<_>>().join(" ");
    let renamed = std::mem::take(object)
        .into_iter()
        .map(|(key, value)| if key == old { (new.clone(), value) } else { (key, value) });
    *object = renamed.collect();
}

/// The leaves that stand in the sentence, with where. Longer ones choose first.
fn slots(say: &str, mut leaves: Vec<Leaf>) -> Vec<(usize, Leaf)> {
    leaves.sort_by_key(|leaf| std::cmp::Reverse(leaf.text.len()));
    let mut slots: Vec<(usize, Leaf)> = Vec::new();
    for leaf in leaves {
        let is_free = |at: usize| {
            slots.iter().all(|(other, taken)| {
                at + leaf.text.len() <= *other || other + taken.text.len() <= at
            })
        };
        let at = say
            .match_indices(leaf.text.as_str())
            .map(|(at, _)| at)
            .find(|&at| stands_alone(say, at, leaf.text.len()) && is_free(at));
        if let Some(at) = at {
            slots.push((at, leaf));
        }
    }
    slots.sort_by_key(|(at, _)| *at);
    slots
}

/// Whether a part of the sentence is no part of a longer word.
fn stands_alone(say: &str, at: usize, length: usize) -> bool {
    let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    length > 0
        && !touches(say[..at].chars().next_back())
        && !touches(say[at + length..].chars().next())
}

/// The pattern between its ends, and how many of its characters are letters or digits to be said.
fn body(say: &str, slots: &[(usize, Leaf)]) -> (String, usize) {
    let mut pattern = String::new();
    let mut count = 0;
    let mut done = 0;
    for (at, leaf) in slots {
        count += literal(&say[done..*at], &mut pattern);
        pattern.push_str(&group(&leaf.takes));
        done = at + leaf.text.len();
    }
    count += literal(&say[done..], &mut pattern);
    (pattern, count)
}

fn group(takes: &Takes) -> String {
    match takes {
        Takes::Text => "(.+?)".to_owned(),
        Takes::Key => r"([^\r\n]+?)".to_owned(),
        Takes::Address => format!(r"([{QUOTES}<]?https?://\S+?)[>]?"),
        Takes::Number => r"(-?\d+(?:\.\d+)?)".to_owned(),
        Takes::OneOf(values) => {
            let values: Vec<String> = values.iter().map(|value| regex::escape(value)).collect();
            format!("[{QUOTES}]?({})[{QUOTES}]?", values.join("|"))
        }
    }
}

fn literal(text: &str, pattern: &mut String) -> usize {
    let mut in_space = false;
    for character in text.chars() {
        match character {
            c if c.is_whitespace() => {
                if !in_space {
                    pattern.push_str(r"\s+");
                }
            }
            c if QUOTES.contains(c) => pattern.push_str(&format!("[{QUOTES}]")),
            ',' | ':' => pattern.push_str(&format!("{character}?")),
            c => pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
        in_space = character.is_whitespace();
    }
    text.chars().filter(|c| c.is_alphanumeric()).map(weight).sum()
}

/// How much a letter says: a Chinese or Japanese one as much as two of others.
fn weight(letter: char) -> usize {
    if matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}') { 2 } else { 1 }
}

/// What was said, without quotes around the whole.
fn unquoted(said: &str) -> &str {
    let said = said.trim().trim_start_matches('<');
    let inner = said.strip_prefix(|c| QUOTES.contains(c));
    match inner.and_then(|inner| inner.strip_suffix(|c| QUOTES.contains(c))) {
        Some(inner) => inner.trim(),
        None => said,
    }
}
