//! The dead letters, with what a person needs to name one and to send it again.

use protocol::sign::{About, BadSignature, LIFE_MOST_MS};
use protocol::{Code, Command, MessageId, Millis, Priority, json};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::lane::Lane;
use super::{CHUNK, Look, LookError, Range};
use crate::redis::Terms;
use crate::redis::letter::{DeadLetter, KEPT_BYTES};

/// More than any letter has: all that is kept of a command, each byte written as six.
const MOST_BYTES: usize = 8 * KEPT_BYTES;

/// What belongs to one sending of a command. Whoever sends it again lets go of it: a deadline that has passed, and
/// a signature of what is changed now.
const OF_ONE_SENDING: [&str; 5] = ["issued_at", "deadline", "resent", "key_id", "mac"];

/// A dead letter, and the name that it has even if the command had no id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// What names this letter and no other.
    pub name: LetterName,
    /// What stands in it.
    pub dead: DeadLetter,
    /// Exactly as it lies there.
    pub(super) bytes: Vec<u8>,
}

/// Names a letter by what stands in it: `@` and the beginning of its SHA-256. No id of a command begins so.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct LetterName(String);

/// Why a letter can't be sent again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCommand {
    /// There never was a command.
    #[error("what was given up is no command, so it would be given up again: {0}")]
    Unreadable(String),
    /// Its end is gone.
    #[error("it was longer than what is kept of a command ({} KiB); send it again where it came from", KEPT_BYTES / 1024)]
    Truncated,
    /// Somebody has signed it who has no key.
    #[error("its signature is wrong, so nobody knows who sent it ({0})")]
    Forged(BadSignature),
    /// Nobody has signed it, and routers take nothing unsigned.
    #[error(
        "it is not signed, so nobody knows who sent it, and queue.require_signature is set in router/config.json"
    )]
    Unsigned,
}

impl Letter {
    pub(super) fn read(bytes: Vec<u8>) -> Option<Self> {
        let dead = serde_json::from_slice(&bytes).ok()?;
        let digest = Sha256::digest(&bytes);
        let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let name = LetterName(format!("@{hex}"));
        Some(Self { name, dead, bytes })
    }

    /// The command that was given up.
    ///
    /// # Errors
    /// [`NoCommand`] when there was none, or its end is gone.
    pub fn command(&self) -> Result<Command, NoCommand> {
        Command::from_bytes(self.dead.raw.as_bytes()).map_err(|malformed| {
            // Cut in the middle of a character, it may have become a little shorter or longer.
            if self.dead.raw.len() + 4 > KEPT_BYTES {
                NoCommand::Truncated
            } else {
                NoCommand::Unreadable(malformed.stopped.message)
            }
        })
    }

    /// Whether the action may have had its effect before the command was given up. It errs towards yes: of a
    /// command that was begun nobody knows how far it came.
    #[must_use]
    pub fn may_have_run(&self) -> bool {
        self.dead.attempts > 0 && self.dead.reason != Code::BadRequest
    }

    /// The same for a list, which may be long while commands may be large.
    fn listed(mut self) -> Self {
        self.dead.raw = String::new();
        self.bytes = Vec::new();
        self
    }

    /// The same command for one more sending, with its id and its lane. With keys, one that was signed is signed anew, for
    /// half an hour from `now`; but only if it was signed with one of them, for anybody who can write there could have put
    /// a letter there.
    pub(super) fn again(
        &self,
        terms: &Terms,
        now: Millis,
    ) -> Result<(MessageId, Lane, Vec<u8>), NoCommand> {
        let command = self.command()?;
        let signs = self.was_signed(&command, terms)?;
        let unreadable = |error: json::JsonError| NoCommand::Unreadable(error.to_string());
        let mut object = json::parse_object(self.dead.raw.as_bytes()).map_err(unreadable)?;
        for name in OF_ONE_SENDING {
            object.shift_remove(name);
        }
        let lane = match command.envelope.priority {
            Priority::Interactive => Lane::Hi,
            Priority::Normal => Lane::Queue,
            Priority::Background => Lane::Lo,
        };
        if signs {
            object.insert("issued_at".to_owned(), now.0.into());
            object.insert("deadline".to_owned(), (now.0 + LIFE_MOST_MS).into());
        }
        let mut bytes = Value::Object(object).to_string().into_bytes();
        if let (true, Some(keys)) = (signs, &terms.keys) {
            let deadline = Some(Millis(now.0 + LIFE_MOST_MS));
            bytes = keys.sign(&About { deadline, ..About::command(&command) }, bytes);
        }
        Ok((command.message_id, lane, bytes))
    }

    fn was_signed(&self, command: &Command, terms: &Terms) -> Result<bool, NoCommand> {
        let Some(keys) = &terms.keys else { return Ok(false) };
        match keys.verify(&About::command(command), self.dead.raw.as_bytes()) {
            Ok(_) => Ok(true),
            Err(BadSignature::Unsigned) if command.envelope.mac.is_none() => {
                if terms.require_signature { Err(NoCommand::Unsigned) } else { Ok(false) }
            }
            Err(why) => Err(NoCommand::Forged(why)),
        }
    }
}

impl LetterName {
    /// Reads a name. What is no letter's name will not be found.
    pub(super) fn parse(text: &str) -> Option<Self> {
        text.starts_with('@').then(|| Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Look {
    /// The newest `limit` dead letters, of one reason if one is given, the newest first, without the commands in
    /// them; and how many there are in all.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be asked.
    pub async fn letters(
        &self,
        limit: usize,
        reason: Option<Code>,
    ) -> Result<(Vec<Letter>, u64), LookError> {
        let total = self.count_letters().await?;
        let mut found = Vec::new();
        // The reason stands first in a letter, and a server that looks for it sends the fewer.
        let wanted = reason.map(|reason| serde_json::json!({ "reason": reason }).to_string());
        let wanted = wanted.as_deref().map_or("", |wanted| wanted.trim_end_matches('}'));
        self.each_letter(wanted, |letter| {
            if reason.is_none_or(|reason| letter.dead.reason == reason) {
                found.push(letter.listed());
            }
            found.len() < limit
        })
        .await?;
        Ok((found, total))
    }

    /// Hands the letters that hold `wanted` to `more` until that says no, the newest first.
    pub(super) async fn each_letter(
        &self,
        wanted: &str,
        mut more: impl FnMut(Letter) -> bool,
    ) -> Result<(), LookError> {
        let mut first = 0;
        loop {
            let range = Range::chunk(first, MOST_BYTES, 0);
            let peeked = self.peek(&self.keys.letters, range, wanted).await?;
            for (_, bytes) in peeked.elements {
                if Letter::read(bytes).is_some_and(|letter| !more(letter)) {
                    return Ok(());
                }
            }
            if peeked.count < CHUNK {
                return Ok(());
            }
            first += CHUNK as i64;
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::Millis;
    use serde_json::json;

    use super::*;

    fn letter(reason: Code, attempts: u32, raw: &str) -> Letter {
        let dead = DeadLetter {
            reason,
            message: "why".to_owned(),
            at: Millis(1_700_000_000_000),
            attempts,
            router: "r1".to_owned(),
            message_id: Some("m1".to_owned()),
            action: None,
            raw: raw.to_owned(),
        };
        Letter::read(serde_json::to_vec(&dead).unwrap()).unwrap()
    }

    #[test]
    fn a_command_is_sent_again_without_what_belonged_to_its_first_sending() {
        let raw = json!({
            "message_id": "m1", "action": "A", "params": {"deadline": 1}, "v": 2, "session": "owner",
            "issued_at": 1, "deadline": 2, "priority": 2, "resent": true, "key_id": "k", "mac": "x",
            "of_a_later_version": [1],
        });
        let (id, lane, bytes) = letter(Code::Deadline, 0, &raw.to_string())
            .again(&Terms::default(), Millis(0))
            .unwrap();
        assert_eq!((id.as_str(), lane), ("m1", Lane::Hi));
        let expected = json!({
            "message_id": "m1", "action": "A", "params": {"deadline": 1}, "v": 2, "session": "owner",
            "priority": 2, "of_a_later_version": [1],
        });
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), expected);
    }

    #[test]
    fn what_is_no_command_or_has_lost_its_end_is_not_sent_again() {
        for raw in ["", "\u{fffd}", "[1]", r#"{"action":"A"}"#] {
            let refused =
                letter(Code::BadRequest, 0, raw).again(&Terms::default(), Millis(0)).unwrap_err();
            assert!(matches!(refused, NoCommand::Unreadable(_)), "{raw}: {refused}");
        }
        let cut = format!("{{\"message_id\":\"m1\",\"x\":\"{}", "x".repeat(KEPT_BYTES));
        for bytes in [KEPT_BYTES, KEPT_BYTES - 3] {
            let refused = letter(Code::TooLarge, 0, &cut[..bytes])
                .again(&Terms::default(), Millis(0))
                .unwrap_err();
            assert_eq!(refused, NoCommand::Truncated);
        }
    }

    #[test]
    fn what_was_begun_may_have_had_its_effect() {
        for (reason, attempts, expected) in [
            (Code::Interrupted, 1, true),
            (Code::Poison, 4, true),
            (Code::Deadline, 1, true),
            (Code::Deadline, 0, false),
            (Code::Stale, 0, false),
            (Code::BadRequest, 1, false),
        ] {
            assert_eq!(letter(reason, attempts, "").may_have_run(), expected, "{reason:?}");
        }
    }

    #[test]
    fn each_letter_has_a_name_of_its_own_that_no_id_can_have() {
        let (one, other) = (letter(Code::Stale, 0, "a"), letter(Code::Stale, 0, "b"));
        assert_ne!(one.name, other.name);
        assert!(MessageId::new(one.name.as_str()).is_err());
    }
}
