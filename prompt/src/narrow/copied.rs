//! Values that are taken from the message word for word. A small model that may write anything writes what the examples
//! say.

use protocol::ActionCard;
use serde_json::{Value, json};

use crate::handed::pieces;
use crate::words::{is_ideograph, kinds};

/// How many words a piece of a message may have: each run of them is listed, and a server makes a rule of each.
const WORDS: usize = 30;

/// The parts of the message that it may be, if the parameter is copied from it: of one that is handed on in all examples,
/// what the message hands on; if that is nothing, it has to be written.
pub(super) fn only(message: &str, card: &ActionCard, param: &str) -> Option<Value> {
    let schema = card.params.get(param)?;
    if !is_free_text(schema) || !is_copied(card, param) {
        return None;
    }
    let parts = match is_handed(card, param) {
        true => handed(message),
        false => of_kind(parts(message), card, param),
    };
    (!parts.is_empty()).then(|| json!({"type": "string", "enum": parts}))
}

fn is_free_text(schema: &Value) -> bool {
    let is_text = schema.get("type").is_some_and(|kind| kind == "string");
    is_text && ["enum", "const", "format"].iter().all(|key| schema.get(key).is_none())
}

/// Of a parameter that is an address in all examples, the addresses; there may be none, and then it is remembered ones
/// that are meant.
fn of_kind<'m>(parts: Vec<&'m str>, card: &ActionCard, param: &str) -> Vec<&'m str> {
    match in_all_examples(card, param, |_, value| kinds(value).next().is_some()) {
        true => parts.into_iter().filter(|part| is_one_kind(part)).collect(),
        false => parts,
    }
}

fn is_one_kind(part: &str) -> bool {
    !part.contains(char::is_whitespace) && kinds(part).next().is_some()
}

/// Whether the action takes words of the message as they stand there.
pub(super) fn takes_words(card: &ActionCard) -> bool {
    let takes = |(name, schema): (&String, &Value)| is_free_text(schema) && is_copied(card, name);
    card.params.iter().any(takes)
}

/// How many parts of the message there are to be listed.
pub(super) fn count(message: &str) -> usize {
    parts(message).len()
}

/// Whether in all examples of the card this parameter is a part of what is said.
fn is_copied(card: &ActionCard, param: &str) -> bool {
    in_all_examples(card, param, |say, value| say.contains(value))
}

fn is_handed(card: &ActionCard, param: &str) -> bool {
    in_all_examples(card, param, |say, value| handed(say).contains(&value))
}

fn in_all_examples(card: &ActionCard, param: &str, holds: impl Fn(&str, &str) -> bool) -> bool {
    let mut examples = card.examples.iter().filter_map(|example| {
        let value = example.params.get(param)?.as_str()?;
        Some(holds(&example.say, value))
    });
    examples.next().is_some_and(|first| first && examples.all(|holds| holds))
}

/// What a message hands on.
fn handed(message: &str) -> Vec<&str> {
    let handed = pieces(message).into_iter().filter(|piece| piece.is_handed);
    handed.map(|piece| piece.text.trim()).filter(|text| !text.is_empty()).collect()
}

/// All runs of whole words in a piece of it, with the marks at their ends and without. A long piece is listed as a whole if
/// it is handed on; of another one nothing can be listed, and then nothing is.
fn parts(message: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    for piece in pieces(message) {
        match runs(piece.text) {
            Some(runs) => parts.extend(runs),
            None if piece.is_handed => parts.push(piece.text.trim()),
            None => return Vec::new(),
        }
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn runs(piece: &str) -> Option<Vec<&str>> {
    let words = bounds(piece);
    if words.len() > WORDS {
        return None;
    }
    let mut runs = Vec::new();
    for (place, (start, _)) in words.iter().enumerate() {
        for (_, end) in &words[place..] {
            let whole = &piece[*start..*end];
            let bare = whole.trim_matches(|c: char| !c.is_alphanumeric());
            if !bare.is_empty() {
                runs.extend([whole, bare]);
            }
        }
    }
    Some(runs)
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
            {"say": "Post Hello there.", "params": {"text": "Hello there"}},
            {"say": "Post.", "params": {}},
        ]));
        let parts = only("Say 'good day'!", &copies, "text").unwrap();
        assert_eq!(parts["enum"], json!(["Say", "day", "good", "good day"]));
        assert_eq!(only("Say it.", &copies, "to"), None, "what is listed is not copied");
    }

    #[test]
    fn a_value_that_is_handed_on_is_taken_whole_or_written() {
        let hands = card(json!([
            {"say": "Post 'Hello there'.", "params": {"text": "Hello there"}},
            {"say": "Post: Hello", "params": {"text": "Hello"}},
        ]));
        let values = |message| only(message, &hands, "text").map(|only| only["enum"].clone());
        assert_eq!(values("Toot: the garden is in bloom"), Some(json!(["the garden is in bloom"])));
        assert_eq!(values("Post 'a b' and 'c'"), Some(json!(["a b", "c"])));
        assert_eq!(values("Post a haiku on rain"), None);
        assert_eq!(values("Post ''"), None);
    }

    #[test]
    fn an_address_is_one_of_the_message_or_a_remembered_one() {
        let mails = card(json!([{"say": "Mail a@b.example.", "params": {"text": "a@b.example"}}]));
        let values = |message| only(message, &mails, "text").map(|only| only["enum"].clone());
        assert_eq!(values("Mail eva@c.example, please").unwrap()[0], "eva@c.example");
        assert_eq!(values("Mail Anna that dinner is at 8"), None);
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
        let long = "word ".repeat(31);
        assert_eq!(only(&long, &copies, "text"), None, "too long to be listed");
        let handed = only(&format!("Post: {long}"), &copies, "text").unwrap();
        assert_eq!(handed["enum"], json!(["Post", long.trim()]));
    }
}
