//! One command as it lies in a lane or in a router's hands.

use protocol::{Millis, Object, json};
use serde::Serialize;
use serde_json::Value;

use super::lane::Lane;

/// How much is shown of a text that nobody vouches for, in characters.
const SHOWN: usize = 128;

/// One command as it lies in a lane or in a router's hands. What can't be read of it is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Its id.
    pub id: Option<String>,
    /// What it asks for.
    pub action: Option<String>,
    /// The lane that it waits in, or was taken from.
    pub lane: Lane,
    /// The router that has it in its hands; none while it waits.
    pub router: Option<String>,
    /// How often it was begun.
    pub attempts: u32,
    /// Whether it was taken back.
    pub cancelled: bool,
    /// How long ago it was put on the queue.
    pub age_ms: Option<u64>,
    /// How long it is to its deadline; below zero when that has passed.
    pub left_ms: Option<i64>,
    /// The conversation that it belongs to.
    pub session: Option<String>,
    /// Its size.
    pub bytes: u64,
    /// Whether it is JSON within a command's bounds.
    pub readable: bool,
    /// All of it; not in a list.
    #[serde(skip)]
    pub command: Option<Object>,
}

impl Entry {
    /// Reads what lies in `lane`, `size` bytes of which `bytes` were read.
    pub(super) fn waiting(lane: Lane, size: u64, bytes: &[u8], now: Millis) -> Self {
        if lane == Lane::Again {
            return Self::handed_out(size, bytes, now).with_lane(lane);
        }
        Self::read(lane, size, bytes, now)
    }

    /// Reads what lies in the hands of `router`.
    pub(super) fn in_hand(router: &str, bytes: &[u8], now: Millis) -> Self {
        let entry = Self::handed_out(bytes.len() as u64, bytes, now);
        Self { router: Some(router.to_owned()), ..entry }
    }

    /// What a router has had in its hands has a line before it: how often it was begun, its lane and its id.
    fn handed_out(size: u64, bytes: &[u8], now: Millis) -> Self {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        let line = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let words: Vec<&str> = line.split(' ').collect();
        let [attempts, lane, id] = words[..] else {
            return Self::read(Lane::Queue, size, bytes, now);
        };
        // So is one of which no router has said that it begins it.
        let lane = Lane::known_as(lane.trim_end_matches('~')).unwrap_or(Lane::Queue);
        let body = &bytes[end + 1..];
        let mut entry = Self::read(lane, size.saturating_sub(end as u64 + 1), body, now);
        // A router marks what it has counted for the attempt that goes on.
        entry.attempts = attempts.trim_end_matches('+').parse().unwrap_or(0);
        entry.id = entry.id.or_else(|| (id != "!").then(|| shown(id)));
        entry
    }

    fn read(lane: Lane, size: u64, body: &[u8], now: Millis) -> Self {
        // What was cut is no JSON any more.
        let command = json::parse_object(body).ok();
        let field = |name: &str| command.as_ref().and_then(|command| command.get(name));
        let text = |name: &str| field(name).and_then(Value::as_str).map(shown);
        let time = |name: &str| field(name).and_then(Value::as_u64).map(Millis);
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        Self {
            id: text("message_id"),
            action: text("action"),
            lane,
            router: None,
            attempts: 0,
            cancelled: false,
            age_ms: time("issued_at").map(|at| now.0.saturating_sub(at.0)),
            left_ms: time("deadline").map(|at| signed(at.0).saturating_sub(signed(now.0))),
            session: text("session"),
            bytes: size,
            readable: command.is_some(),
            command,
        }
    }

    /// The same for a list, which may be long while commands may be large.
    pub(super) fn listed(self) -> Self {
        Self { command: None, ..self }
    }

    fn with_lane(self, lane: Lane) -> Self {
        Self { lane, ..self }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_700_000_010_000);

    #[test]
    fn a_command_in_hand_is_read_with_the_line_before_it() {
        let body = r#"{"message_id":"m1","action":"A","issued_at":1700000000000,"deadline":1700000020000,"session":"owner"}"#;
        let entry = Entry::in_hand("r1", format!("2+ normal~ m1\n{body}").as_bytes(), NOW);
        let expected = Entry {
            id: Some("m1".to_owned()),
            action: Some("A".to_owned()),
            lane: Lane::Queue,
            router: Some("r1".to_owned()),
            attempts: 2,
            cancelled: false,
            age_ms: Some(10_000),
            left_ms: Some(10_000),
            session: Some("owner".to_owned()),
            bytes: body.len() as u64,
            readable: true,
            command: Some(json::parse_object(body.as_bytes()).unwrap()),
        };
        assert_eq!(entry, expected);
    }

    #[test]
    fn what_can_not_be_read_is_told_of_all_the_same() {
        for garbage in [&b"\xff\xfe"[..], b"", b"[1]", b"1 2\n", b"\n\n"] {
            for lane in Lane::ALL {
                let entry = Entry::waiting(lane, 7, garbage, NOW);
                assert_eq!((entry.lane, entry.id, entry.command), (lane, None, None));
            }
        }
        let cut = Entry::waiting(Lane::Again, 1_000, b"1 hi m1\n{\"message_id\"", NOW);
        assert_eq!((cut.id.as_deref(), cut.attempts, cut.bytes), (Some("m1"), 1, 992));
    }

    #[test]
    fn a_deadline_that_has_passed_is_below_zero() {
        let body = br#"{"message_id":"m","deadline":1700000009000}"#;
        assert_eq!(Entry::waiting(Lane::Hi, 1, body, NOW).left_ms, Some(-1_000));
    }
}
