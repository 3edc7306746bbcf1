//! Dead letters: what is kept of a command that was given up, for the owner to look at and to send again.

use protocol::{Code, Millis, Outcome, Reply};
use serde::{Deserialize, Serialize};

use super::hands::Held;

/// How many are kept, the newest: with every command as long as it may be they take a third of the memory that compose.yaml
/// gives Redis.
pub(super) const MOST: usize = 1_000;

/// How many bytes of a command are kept.
pub(super) const KEPT_BYTES: usize = 64 * 1024;

/// One command that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Why.
    pub reason: Code,
    /// Why, for people.
    pub message: String,
    /// When, by the broker's clock.
    pub at: Millis,
    /// How often it was begun.
    pub attempts: u32,
    /// The router that gave it up.
    pub router: String,
    /// Its id, where one could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The action that it asked for, where that could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The command itself, at most 64 KiB of it; of what is none, at most 1 KiB. Bytes that are no UTF-8 are replaced.
    pub raw: String,
}

/// The letter for a command that ends with `reply`, as JSON; none when that is an end like any other.
pub(super) fn of(held: &Held, reply: &Reply, at: Millis) -> Option<Vec<u8>> {
    let Outcome::Stopped(stopped) = &reply.outcome else { return None };
    if !is_given_up(stopped.code) {
        return None;
    }
    let action = reply.fields.get("action").and_then(|action| action.as_str());
    let letter = DeadLetter {
        reason: stopped.code,
        message: stopped.message.clone(),
        at,
        attempts: held.attempt,
        router: held.router.to_string(),
        message_id: held.id.as_ref().map(ToString::to_string),
        action: action.filter(|action| !action.is_empty()).map(str::to_owned),
        raw: String::from_utf8_lossy(&held.body[..held.body.len().min(kept(stopped.code))])
            .into_owned(),
    };
    // Plain data always has a JSON form.
    serde_json::to_vec(&letter).ok()
}

/// How many bytes are kept of a command that ends so: of what can never be sent again just enough to see what it was.
fn kept(code: Code) -> usize {
    if matches!(code, Code::BadRequest | Code::TooLarge) { 1_024 } else { KEPT_BYTES }
}

/// The ends that somebody may want to look into. What a skill, a policy or a person has said no to is none, and
/// neither is what was refused because there was too much of it.
fn is_given_up(code: Code) -> bool {
    use Code::{BadRequest, Deadline, Interrupted, Poison, Stale, TooLarge};
    matches!(code, BadRequest | Deadline | Interrupted | Poison | Stale | TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_are_kept_fit_into_the_memory_of_redis() {
        let compose = include_str!("../../../compose.yaml");
        let (_, limit) = compose.split_once("--maxmemory, ").unwrap();
        let limit: usize = limit.split_once("mb").unwrap().0.parse().unwrap();
        let letter = DeadLetter {
            reason: Code::Deadline,
            message: "x".repeat(1_024),
            at: Millis(1),
            attempts: 1,
            router: "r".to_owned(),
            message_id: None,
            action: None,
            // No letter of a command takes more room in JSON.
            raw: "\"".repeat(KEPT_BYTES),
        };
        let bytes = serde_json::to_vec(&letter).unwrap().len();
        assert!(bytes * MOST < limit * 1_000_000 / 2, "{bytes}");
    }
}
