//! What programs ask, read strictly: a slip is told, not guessed at.

use axum::http::{HeaderMap, header};
use protocol::{OWNER, Principal, SessionKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::NAME;
use super::refusal::Refusal;
use crate::channel::{Incoming, MAX_MESSAGE, Origin, Said, Ticket};
use crate::question::{Choice, Decision};

/// How long the name of a session may be, in bytes.
const LONGEST: usize = 64;

/// `POST /v1/messages`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    /// What is said.
    pub(super) text: String,
    #[serde(default)]
    session: Option<String>,
    /// Whether the answer is wanted as it comes.
    #[serde(default)]
    pub(super) stream: bool,
    /// Whether the answer is waited for at all.
    #[serde(default = "yes")]
    pub(super) wait: bool,
}

fn yes() -> bool {
    true
}

/// `POST /v1/cancel`, and what is listened to by `GET /v1/events`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Where {
    #[serde(default)]
    session: Option<String>,
}

/// `POST /v1/answers`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    id: String,
    answer: Word,
    #[serde(default)]
    code: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Yes,
    No,
    Always,
}

/// A session of this channel, and who speaks in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seat {
    /// The session.
    pub(super) session: SessionKey,
    from: Principal,
}

impl Seat {
    /// The owner's without a name, else that of the name.
    fn of(name: Option<&str>) -> Result<Self, Refusal> {
        let wrong = |error: protocol::NameError| Refusal::Bad(error.to_string());
        let (key, from) = match name {
            None | Some(OWNER) => (OWNER.to_owned(), format!("{NAME}:{OWNER}")),
            Some(name) if is_name(name) => (format!("{NAME}-{name}"), format!("{NAME}:{name}")),
            Some(_) => {
                let rule = format!("session is 1 to {LONGEST} of a-z, 0-9, - and _");
                return Err(Refusal::Bad(rule));
            }
        };
        Ok(Self {
            session: SessionKey::new(key).map_err(wrong)?,
            from: Principal::new(from).map_err(wrong)?,
        })
    }

    /// Something said there.
    pub(super) fn says(&self, said: Said) -> Incoming {
        let (session, from) = (self.session.clone(), self.from.clone());
        Incoming { ticket: Ticket::new(), session, from, origin: Origin::Person, said }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(fits)
}

impl Message {
    /// Where it is said.
    pub(super) fn seat(&self) -> Result<Seat, Refusal> {
        Seat::of(self.session.as_deref())
    }

    /// The message, if it says something and is not too long.
    pub(super) fn said(self) -> Result<Said, Refusal> {
        match self.text.len() {
            _ if self.text.trim().is_empty() => Err(Refusal::Bad("text is empty".to_owned())),
            0..=MAX_MESSAGE => Ok(Said::typed(self.text)),
            long => Err(Refusal::TooLarge(format!(
                "text is {long} bytes long; at most {MAX_MESSAGE} are read"
            ))),
        }
    }
}

impl Where {
    /// The session that is meant.
    pub(super) fn seat(&self) -> Result<Seat, Refusal> {
        Seat::of(self.session.as_deref())
    }
}

impl Answer {
    /// It as the owner gives it: nobody else's counts.
    pub(super) fn given(self) -> Result<Incoming, Refusal> {
        let choice = match self.answer {
            Word::Yes => Choice::Yes,
            Word::No => Choice::No,
            Word::Always => Choice::Always,
        };
        let code = self.code.map(|code| code.to_ascii_uppercase());
        Ok(Seat::of(None)?.says(Said::Answer(Decision { id: self.id, choice, code })))
    }
}

/// Reads a body of JSON.
pub(super) fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.and_then(|kind| kind.split(';').next()) != Some("application/json") {
        return Err(Refusal::Bad("send JSON, with `Content-Type: application/json`".to_owned()));
    }
    serde_json::from_slice(body).map_err(|error| Refusal::Bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_have_plain_names_and_none_is_the_owners_by_accident() {
        let key =
            |name| Seat::of(name).map(|seat| (seat.session.to_string(), seat.from.to_string()));
        let pair = |key: &str, from: &str| Ok((key.to_owned(), from.to_owned()));
        assert_eq!(key(None), pair("owner", "http:owner"));
        assert_eq!(key(Some("owner")), pair("owner", "http:owner"));
        assert_eq!(key(Some("build-7")), pair("http-build-7", "http:build-7"));
        let long = "x".repeat(LONGEST + 1);
        for wrong in ["", "Owner", "a b", "../x", "a:b", "\u{e9}", &long] {
            assert!(matches!(key(Some(wrong)), Err(Refusal::Bad(_))), "{wrong}");
        }
    }

    #[test]
    fn a_message_says_something_and_is_not_too_long() {
        let said = |text: &str| {
            Message { text: text.to_owned(), session: None, stream: false, wait: true }.said()
        };
        assert_eq!(said("hi"), Ok(Said::Message("hi".to_owned())));
        assert!(matches!(said(" \n"), Err(Refusal::Bad(_))));
        assert!(said(&"x".repeat(MAX_MESSAGE)).is_ok());
        assert!(matches!(said(&"x".repeat(MAX_MESSAGE + 1)), Err(Refusal::TooLarge(_))));
    }
}
