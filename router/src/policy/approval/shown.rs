//! What a person is shown: made here, from the call alone, never by the model.

use protocol::{ActionCard, Command, Envelope};
use unicode_width::UnicodeWidthStr;
use uuid::Uuid;

use super::parked::{Subject, YesNeeds, short};
use crate::config::words;
use crate::digest::Digest;

/// What a code is made of: no letter or digit that looks like another.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The longest line of a question, in columns.
const WIDTH: usize = 72;

/// The longest words about what a skill does, in characters.
const DOES: usize = 160;

/// What the rest of a longer one begins with.
const CONTINUED: &str = "    | ";

/// The action with its exact parameters, what its skill does, why a person is asked, and what to type. What deceives is escaped, so that
/// nothing looks like something else.
pub(super) fn question(subject: &Subject, digest: &Digest, code: Option<&str>) -> String {
    let command = &subject.command;
    // A map of JSON values always has a JSON form.
    let params = serde_json::to_string_pretty(&command.params).unwrap_or_default();
    let what = format!("{} {params}", command.action);
    let lines: Vec<String> = what.lines().flat_map(shown).collect();
    let mut told = vec![lines.join("\n")];
    told.extend(subject.does.as_ref().map(|does| words().fill("wall.does", &[("does", does)])));
    told.extend(whose(command));
    told.push(words().fill("wall.because", &[("why", &subject.reason)]));
    told.push(words().fill("wall.digest", &[("digest", &short(digest))]));
    told.extend(code.map(|code| words().fill("wall.code", &[("code", &code)])));
    told.extend((subject.proof == YesNeeds::Pin).then(|| words().get("wall.pin").to_owned()));
    told.join("\n")
}

/// What a skill does, in one line of its manifest's words.
pub(super) fn does(card: &ActionCard) -> String {
    legible::line(card.instruction.trim()).chars().take(DOES).collect()
}

/// Who asks, if it is not the owner; both names hold nothing but plain ASCII.
fn whose(command: &Command) -> Option<String> {
    let Envelope { session, principal, .. } = &command.envelope;
    let session = session.as_ref().filter(|session| !session.is_owner())?;
    Some(match principal {
        Some(who) => words().fill("wall.askedBy", &[("who", who), ("session", session)]),
        None => words().fill("wall.askedBySomebody", &[("session", session)]),
    })
}

/// Four characters that nobody knows before: a person who types them has read the question.
pub(super) fn code() -> String {
    let random = Uuid::new_v4().into_bytes();
    random[..4].iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

/// A line of the call, cut into lines that fit on any terminal: what is left of one is marked, and no more than
/// one space follows another thing, so that nothing in a parameter can be made to stand like a line of the router's.
fn shown(line: &str) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut lines = vec![" ".repeat(indent)];
    let mut before = None;
    for c in legible::line(&line[indent..]).chars() {
        let piece = match c {
            ' ' if before == Some(' ') => "\\u{20}".to_owned(),
            c => c.to_string(),
        };
        before = Some(c);
        let is_full = lines.last().is_some_and(|line| line.width() + piece.width() > WIDTH);
        if is_full {
            lines.push(CONTINUED.to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&piece);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_parameter_stands_like_a_line_of_the_routers() {
        let hostile = format!("  \"text\": \"a{}digest 000\u{202e}\"", " ".repeat(200));
        let lines = shown(&hostile);
        assert!(lines.len() > 5);
        assert!(
            lines.iter().all(|line| line.len() <= WIDTH && line.starts_with("  ")),
            "{lines:?}"
        );
        assert!(lines.iter().all(|line| !line.trim_start().contains("  ")), "{lines:?}");
        assert!(lines.concat().contains("\\u{202e}"));
        assert_eq!(shown("  \"a\": \"b c\""), ["  \"a\": \"b c\""]);
        assert_eq!(shown("\"a\": \"Grüße, 你好\""), ["\"a\": \"Grüße, 你好\""]);
        assert!(shown(&"你".repeat(100)).iter().all(|line| line.width() <= WIDTH));
    }

    #[test]
    fn a_code_is_four_letters_that_differ_each_time() {
        let codes: std::collections::HashSet<String> = (0..50).map(|_| code()).collect();
        assert!(codes.len() > 40);
        assert!(codes.iter().all(|code| code.len() == 4
            && code.bytes().all(|letter| LETTERS.contains(&letter))));
    }
}
