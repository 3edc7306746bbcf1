//! What a person is shown: made here, from the call alone, never by the model.

use uuid::Uuid;

use super::parked::{Subject, short};
use crate::digest::Digest;

/// What a code is made of: no letter or digit that looks like another.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The action with its exact parameters, why a person is asked, and what to type. Whatever is not plain ASCII is
/// escaped, so that nothing looks like something else.
pub(super) fn question(subject: &Subject, digest: &Digest, code: Option<&str>) -> String {
    let command = &subject.command;
    // A map of JSON values always has a JSON form.
    let params = serde_json::to_string_pretty(&command.params).unwrap_or_default();
    let what = format!("{} {params}", command.action);
    let what: String = what.chars().map(escaped).collect();
    let mut text =
        format!("{what}\nasked because it is {}\ndigest {}", subject.reason, short(digest));
    if let Some(code) = code {
        text.push_str(&format!("\nto allow it, type {code}"));
    }
    text
}

/// Four characters that nobody knows before: a person who types them has read the question.
pub(super) fn code() -> String {
    let random = Uuid::new_v4().into_bytes();
    random[..4].iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

fn escaped(c: char) -> String {
    let is_plain = c == '\n' || c == ' ' || c.is_ascii_graphic();
    if is_plain { c.to_string() } else { c.escape_unicode().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_four_letters_that_differ_each_time() {
        let codes: std::collections::HashSet<String> = (0..50).map(|_| code()).collect();
        assert!(codes.len() > 40);
        assert!(codes.iter().all(|code| code.len() == 4
            && code.bytes().all(|letter| LETTERS.contains(&letter))));
    }
}
