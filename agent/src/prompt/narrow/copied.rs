//! Values that are taken from the message word for word. A small model that may write anything writes what the examples
//! say.

use protocol::ActionCard;
use serde_json::{Value, json};

use crate::prompt::words::is_ideograph;

/// How many words a message may have: each run of them is listed, and a server makes a rule of each.
const WORDS: usize = 30;

/// The parts of the message, if the parameter is copied from it.
pub(super) fn only(message: &str, card: &ActionCard, param: &str) -> Option<Value> {
    let schema = card.params.get(param)?;
    let is_text = schema.get("type").is_some_and(|kind| kind == "string");
    let is_free = ["enum", "const", "format"].iter().all(|key| schema.get(key).is_none());
    if !is_text || !is_free || !is_copied(card, param) {
        return None;
    }
    let parts = parts(message);
    (!parts.is_empty()).then(|| json!({"type": "string", "enum": parts}))
}

/// Whether in all examples of the card this parameter is a part of what is said.
pub(super) fn is_copied(card: &ActionCard, param: &str) -> bool {
    let mut values = card.examples.iter().filter_map(|example| {
        let value = example.params.get(param)?.as_str()?;
        Some(example.say.contains(value))
    });
    values.next().is_some_and(|first| first && values.all(|is_part| is_part))
}

/// All runs of whole words, with the marks at their ends and without; none of a long message.
fn parts(message: &str) -> Vec<&str> {
    let words = bounds(message);
    if words.len() > WORDS {
        return Vec::new();
    }
    let mut parts: Vec<&str> = Vec::new();
    for (place, (start, _)) in words.iter().enumerate() {
        for (_, end) in &words[place..] {
            let whole = &message[*start..*end];
            let bare = whole.trim_matches(|c: char| !c.is_alphanumeric());
            parts.extend([whole, bare].into_iter().filter(|part| !part.is_empty()));
        }
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Where each word begins and ends, in bytes; of a script without spaces, each letter.
fn bounds(message: &str) -> Vec<(usize, usize)> {
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    let mut is_open = false;
    for (at, letter) in message.char_indices() {
        if letter.is_whitespace() {
            is_open = false;
            continue;
        }
        let end = at + letter.len_utf8();
        match bounds.last_mut() {
            Some(last) if is_open && !is_ideograph(letter) => last.1 = end,
            _ => bounds.push((at, end)),
        }
        is_open = !is_ideograph(letter);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(examples: Value) -> ActionCard {
        let params = json!({"text": {"type": "string"}, "to": {"type": "string", "enum": ["X"]}});
        serde_json::from_value(json!({"name": "A", "params": params, "examples": examples}))
            .unwrap()
    }

    #[test]
    fn a_value_that_all_examples_copy_is_a_part_of_the_message() {
        let copies = card(json!([
            {"say": "Post 'Hello there'.", "params": {"text": "Hello there"}},
            {"say": "Post.", "params": {}},
        ]));
        let parts = only("Say 'good day'!", &copies, "text").unwrap();
        let expected =
            ["'good", "'good day'!", "Say", "Say 'good", "Say 'good day", "Say 'good day'!"];
        let listed = parts["enum"].as_array().unwrap();
        for part in expected.into_iter().chain(["day", "day'!", "good", "good day"]) {
            assert!(listed.contains(&json!(part)), "{part}");
        }
        assert_eq!(listed.len(), 10);
        assert_eq!(only("Say it.", &copies, "to"), None, "what is listed is not copied");
    }

    #[test]
    fn of_a_script_without_spaces_each_letter_may_begin_a_part() {
        let copies = card(json!([{"say": "a", "params": {"text": "a"}}]));
        let parts = only("在X上:早安", &copies, "text").unwrap();
        for part in ["早安", "X上", "早"] {
            assert!(parts["enum"].as_array().unwrap().contains(&json!(part)), "{part}");
        }
    }

    #[test]
    fn whoever_writes_in_own_words_once_may_write_anything() {
        let writes = card(json!([
            {"say": "Post 'Hello there'.", "params": {"text": "Hello there"}},
            {"say": "Post a greeting.", "params": {"text": "Hello there"}},
        ]));
        assert_eq!(only("Say it.", &writes, "text"), None);
        assert_eq!(only("Say it.", &card(json!([])), "text"), None);
        let copies = card(json!([{"say": "a", "params": {"text": "a"}}]));
        assert_eq!(only(&"word ".repeat(31), &copies, "text"), None, "too long to be listed");
    }
}
