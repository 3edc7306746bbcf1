//! What programs ask, read strictly: a slip is told, not guessed at.

use axum::http::{HeaderMap, header};
use conversation::question::{Choice, Decision};
use protocol::{GrantTerms, OWNER, Pin, Principal, SessionKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::NAME;
use super::guard::Visitor;
use super::refusal::Refusal;
use crate::{Incoming, MAX_MESSAGE, Origin, Said, Ticket};

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
    /// Who says it, of the people whom a bridge brings in.
    #[serde(default)]
    from: Option<String>,
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
    /// With "yes", where the question wants it: the owner's PIN.
    #[serde(default)]
    pin: Option<String>,
    /// With "always": how often, and how long.
    #[serde(default)]
    times: Option<u32>,
    #[serde(default)]
    minutes: Option<u32>,
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
    /// That of `visitor`: the owner's without a name, else that of the name. A bridge's is always one of its own, where
    /// `person` speaks.
    fn of(visitor: &Visitor, name: Option<&str>, person: Option<&str>) -> Result<Self, Refusal> {
        let (key, from) = match (visitor, name, person) {
            (Visitor::Bridge(bridge), Some(name), person) => {
                let (bridge, person) = (bridge.as_str(), plain(person.unwrap_or(name), "from")?);
                (
                    format!("{NAME}-{bridge}-{}", plain(name, "session")?),
                    format!("{NAME}:{bridge}-{person}"),
                )
            }
            (Visitor::Bridge(_), None, _) => {
                return Err(Refusal::Bad("say in which session: a bridge has several".to_owned()));
            }
            (_, _, Some(_)) => {
                return Err(Refusal::Bad(
                    "from is for bridges; who has this token is the owner".to_owned(),
                ));
            }
            (_, None | Some(OWNER), None) => (OWNER.to_owned(), format!("{NAME}:{OWNER}")),
            (_, Some(name), None) => {
                let name = plain(name, "session")?;
                (format!("{NAME}-{name}"), format!("{NAME}:{name}"))
            }
        };
        let wrong = |error: protocol::NameError| Refusal::Bad(error.to_string());
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

/// A plain name, which stands under `key`.
fn plain<'n>(name: &'n str, key: &str) -> Result<&'n str, Refusal> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
    let is_plain = (1..=LONGEST).contains(&name.len()) && name.bytes().all(fits);
    let rule = || Refusal::Bad(format!("{key} is 1 to {LONGEST} of a-z, 0-9, - and _"));
    is_plain.then_some(name).ok_or_else(rule)
}

impl Message {
    /// One that the owner says in the owner's own session.
    pub(super) fn of_owner(text: String) -> Self {
        Self { text, session: None, from: None, stream: false, wait: false }
    }

    /// Where it is said.
    pub(super) fn seat(&self, visitor: &Visitor) -> Result<Seat, Refusal> {
        Seat::of(visitor, self.session.as_deref(), self.from.as_deref())
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
    pub(super) fn seat(&self, visitor: &Visitor) -> Result<Seat, Refusal> {
        Seat::of(visitor, self.session.as_deref(), None)
    }
}

impl Answer {
    /// It as the owner gives it: nobody else's counts.
    pub(super) fn given(self) -> Result<Incoming, Refusal> {
        let wrong = || Refusal::Bad("pin is 4 to 6 digits, with \"answer\": \"yes\"".to_owned());
        let pin = self.pin.map(|pin| Pin::typed(&pin).ok_or_else(wrong)).transpose()?;
        let choice = match self.answer {
            Word::Yes => pin.map_or(Choice::Yes, Choice::Pin),
            _ if pin.is_some() => return Err(wrong()),
            Word::No => Choice::No,
            Word::Always => Choice::Always(
                GrantTerms::new(self.times, self.minutes)
                    .map_err(|error| Refusal::Bad(format!("times, minutes: {error}")))?,
            ),
        };
        let code = self.code.map(|code| code.to_ascii_uppercase());
        Ok(Seat::of(&Visitor::Program, None, None)?.says(Said::Answer(Decision {
            id: self.id,
            choice,
            code,
        })))
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
        let key = |name| {
            let seat = Seat::of(&Visitor::Program, name, None);
            seat.map(|seat| (seat.session.to_string(), seat.from.to_string()))
        };
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
    fn a_bridge_speaks_in_sessions_of_its_own_whatever_it_names() {
        let bridge = Visitor::Bridge("matrix".to_owned().try_into().unwrap());
        let seat = |name, person| {
            let seat = Seat::of(&bridge, name, person);
            seat.map(|seat| (seat.session.to_string(), seat.from.to_string()))
        };
        let pair = |key: &str, from: &str| Ok((key.to_owned(), from.to_owned()));
        assert_eq!(seat(Some("room"), Some("ada")), pair("http-matrix-room", "http:matrix-ada"));
        assert_eq!(seat(Some("room"), None), pair("http-matrix-room", "http:matrix-room"));
        assert_eq!(seat(Some(OWNER), Some(OWNER)), pair("http-matrix-owner", "http:matrix-owner"));
        for (name, person) in [(None, None), (Some("../x"), None), (Some("room"), Some("a:b"))] {
            assert!(matches!(seat(name, person), Err(Refusal::Bad(_))), "{name:?} {person:?}");
        }
        let owner = Seat::of(&Visitor::Program, None, Some("ada"));
        assert!(matches!(owner, Err(Refusal::Bad(_))));
    }

    #[test]
    fn a_message_says_something_and_is_not_too_long() {
        let said = |text: &str| {
            Message { text: text.to_owned(), session: None, from: None, stream: false, wait: true }
                .said()
        };
        assert_eq!(said("hi"), Ok(Said::Message("hi".to_owned())));
        assert!(matches!(said(" \n"), Err(Refusal::Bad(_))));
        assert!(said(&"x".repeat(MAX_MESSAGE)).is_ok());
        assert!(matches!(said(&"x".repeat(MAX_MESSAGE + 1)), Err(Refusal::TooLarge(_))));
    }
}
