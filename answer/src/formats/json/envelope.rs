//! The beginning of an answer that is one JSON object, up to its message: what comes then is shown as it comes.

use crate::mark::{Mark, Tag};
use crate::scan::Scan;

/// The keys of such an answer that may stand in front of its message.
pub(crate) const BESIDE_MESSAGE: [&str; 2] = ["thought", "asks_for"];

/// How much may stand in front of the message, in bytes; what is longer is shown when the answer is whole.
const LONGEST: usize = 16 * 1024;

/// How much white space there may be in one place.
const SPACE: usize = 16;

/// `{"message": "`, perhaps with thoughts and actions in front of it.
pub(crate) fn message(text: &str) -> Mark {
    if !text.starts_with('{') {
        return Mark::None;
    }
    // What is found does not depend on how much of the text is there already.
    match within(&text[..text.floor_char_boundary(LONGEST)]) {
        Mark::Undecided if text.len() > LONGEST => Mark::None,
        mark => mark,
    }
}

/// Whether the text begins such an answer, whatever else of it has come.
pub(crate) fn is_begun(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(str::trim_start).unwrap_or_default();
    let mut keys = ["actions"].into_iter().chain(BESIDE_MESSAGE);
    keys.any(|key| inside.strip_prefix('"').is_some_and(|inside| inside.starts_with(key)))
}

fn within(text: &str) -> Mark {
    let mut at = 1;
    loop {
        let Head { key, value } = match head(text, at) {
            Ok(head) => head,
            Err(mark) => return mark,
        };
        let rest = &text[value..];
        match (key, rest.chars().next()) {
            (_, None) => return Mark::Undecided,
            ("message", Some('"')) => return Mark::Found(Tag::Message, value + 1),
            (key, Some('"' | '[')) if key == "actions" || BESIDE_MESSAGE.contains(&key) => {}
            _ => return Mark::None,
        }
        let Some(end) = end_of_value(rest) else { return Mark::Undecided };
        let Some((space, next)) = next(&text[value + end..]) else { return Mark::None };
        match next {
            None => return Mark::Undecided,
            Some(',') => at = value + end + space + 1,
            Some(_) => return Mark::None,
        }
    }
}

/// A key, and where its value begins.
struct Head<'t> {
    key: &'t str,
    value: usize,
}

/// The key behind `at`; the mark if there is none, or not yet.
fn head(text: &str, at: usize) -> Result<Head<'_>, Mark> {
    let (space, quote) = next(&text[at..]).ok_or(Mark::None)?;
    match quote {
        None => return Err(Mark::Undecided),
        Some('"') => {}
        Some(_) => return Err(Mark::None),
    }
    let begin = at + space + 1;
    let keys = ["message", "actions"].into_iter().chain(BESIDE_MESSAGE);
    let Some(length) = text[begin..].find('"') else {
        let may_be = keys.clone().any(|key| key.starts_with(&text[begin..]));
        return Err(if may_be { Mark::Undecided } else { Mark::None });
    };
    let key = &text[begin..begin + length];
    let colon = begin + length + 1;
    let (before, sign) = next(&text[colon..]).ok_or(Mark::None)?;
    match sign {
        None => return Err(Mark::Undecided),
        Some(':') => {}
        Some(_) => return Err(Mark::None),
    }
    let value = colon + before + 1;
    let (behind, _) = next(&text[value..]).ok_or(Mark::None)?;
    Ok(Head { key, value: value + behind })
}

/// The white space at the beginning of `text`, and what stands behind it; nothing if there is too much of it.
fn next(text: &str) -> Option<(usize, Option<char>)> {
    let space = text.bytes().take(SPACE + 1).take_while(u8::is_ascii_whitespace).count();
    (space <= SPACE).then(|| (space, text[space..].chars().next()))
}

/// Where a text or a list ends; nothing if that has not come yet.
fn end_of_value(text: &str) -> Option<usize> {
    if let Some(inside) = text.strip_prefix('"') {
        let mut is_escaped = false;
        let end = inside.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        })?;
        return Some(end + 2);
    }
    let mut scan = Scan::default();
    text.char_indices().find(|&(_, c)| scan.take(c)).map(|(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<usize> {
        match message(text) {
            Mark::Found(Tag::Message, at) => Some(at),
            _ => None,
        }
    }

    #[test]
    fn the_message_is_found_behind_what_may_stand_in_front_of_it() {
        for head in [
            r#"{"message": ""#,
            r#"{ "thought" : "a \"b\" }", "message":""#,
            r#"{"thought":"x","asks_for":["A"],"actions":[{"name":"A","params":{"t":"]"}}],"message":""#,
        ] {
            let text = format!("{head}Hi");
            assert_eq!(found(&text), Some(head.len()), "{head}");
            for end in (1..head.len()).filter(|end| head.is_char_boundary(*end)) {
                assert!(matches!(message(&head[..end]), Mark::Undecided), "{}", &head[..end]);
            }
        }
    }

    #[test]
    fn other_objects_are_not_waited_for() {
        for text in [
            r#"{"name": "A"}"#,
            r#"{"thought": 1, "message": "x"}"#,
            r#"{"thought": "x"}"#,
            r#"{"thought": "x" "message": "x"}"#,
            r#"{"message": 1"#,
            "{message: \"x\"",
            &format!(r#"{{"thought": "{}", "message": "x"}}"#, "x".repeat(LONGEST)),
        ] {
            assert!(matches!(message(text), Mark::None), "{text}");
        }
    }
}
