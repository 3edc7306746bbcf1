//! What a person is shown: made here, from the call alone, never by the model.

use protocol::{ActionCard, Command, Envelope};
use uuid::Uuid;

use super::parked::{Subject, YesNeeds, short};
use crate::config::words;
use crate::digest::Digest;

/// What a code is made of: no letter or digit that looks like another.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The longest words about what a skill does, in characters.
const DOES: usize = 160;

/// The action with its exact parameters, what its skill does, why a person is asked, and what to type. What deceives is
/// escaped, so that nothing looks like something else.
pub(super) fn question(subject: &Subject, digest: &Digest, code: Option<&str>) -> String {
    let command = &subject.command;
    // A map of JSON values always has a JSON form.
    let params = serde_json::to_string_pretty(&command.params).unwrap_or_default();
    let what = format!("{} {params}", command.action);
    let lines: Vec<String> = what.lines().flat_map(legible::lines).collect();
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
