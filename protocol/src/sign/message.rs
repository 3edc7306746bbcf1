//! Signs one message, and tells whether one is signed.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::keys::{Key, KeyPair, Keys, hex, unhex};
use crate::{Command, Envelope, MessageId, Millis, SessionKey};

/// Stands first in what is signed; another version of the format is another text.
const VERSION: &str = "safeclaw-sign-1";

/// What stands around the two fields, and how many digits these have.
const BEFORE_ID: &[u8] = br#","key_id":""#;
const ID_DIGITS: usize = 8;
const BEFORE_MAC: &[u8] = br#"","mac":""#;
const MAC_DIGITS: usize = 64;
const AFTER_MAC: &[u8] = b"\"";

/// How long all of that is.
const TAIL: usize = BEFORE_ID.len() + ID_DIGITS + BEFORE_MAC.len() + MAC_DIGITS + AFTER_MAC.len();

/// The end of a signed command that was sent before, in place of the last brace.
pub const RESENT: &str = r#","resent":true}"#;

/// What a message is, which says its direction, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An agent's command.
    Command,
    /// An agent's word that takes a command back.
    Cancel,
    /// A router's reply to one whose signature was right.
    Reply,
    /// A router's reply to any other command: it must not be taken for the reply to a signed one with the same id.
    ReplyToUnsigned,
    /// A router's event.
    Event,
    /// A router's catalogue.
    Catalog,
}

/// What a message is about, as whoever signs or verifies it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// What it is.
    pub kind: Kind,
    /// The command's id; empty where there is none.
    pub id: &'a str,
    /// The conversation; empty where there is none.
    pub session: &'a str,
    /// The command's deadline.
    pub deadline: Option<Millis>,
}

/// Why a message is not taken for what it says it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSignature {
    /// It does not end with a signature.
    #[error("it is not signed")]
    Unsigned,
    /// Its key is none of ours.
    #[error("it is signed with the key {key_id}, which is not in the key file here")]
    UnknownKey {
        /// What it says.
        key_id: String,
    },
    /// It was not signed with that key, or not as this message, or not in these bytes.
    #[error("its signature is wrong")]
    Wrong,
}

impl Kind {
    /// How it begins in what is signed.
    fn word(self) -> &'static str {
        match self {
            Self::Command => "to-router command",
            Self::Cancel => "to-router cancel",
            Self::Reply => "to-agent reply",
            Self::ReplyToUnsigned => "to-agent reply-to-unsigned",
            Self::Event => "to-agent event",
            Self::Catalog => "to-agent catalog",
        }
    }
}

impl<'a> About<'a> {
    /// Of a message that has nothing of its own but its kind.
    #[must_use]
    pub fn only(kind: Kind) -> Self {
        Self { kind, id: "", session: "", deadline: None }
    }

    /// Of a command.
    #[must_use]
    pub fn command(command: &'a Command) -> Self {
        let Envelope { session, deadline, .. } = &command.envelope;
        let session = session.as_ref().map_or("", |session| session.as_str());
        let id = command.message_id.as_str();
        Self { id, session, deadline: *deadline, ..Self::only(Kind::Command) }
    }

    /// Of the word that takes the command `id` back.
    #[must_use]
    pub fn cancel(id: &'a MessageId) -> Self {
        Self { id: id.as_str(), ..Self::only(Kind::Cancel) }
    }

    /// Of the reply to the command `id`, whose signature was right.
    #[must_use]
    pub fn reply(id: &'a MessageId) -> Self {
        Self { id: id.as_str(), ..Self::only(Kind::Reply) }
    }

    /// Of an event in the list of `session`.
    #[must_use]
    pub fn event(session: &'a SessionKey) -> Self {
        Self { session: session.as_str(), ..Self::only(Kind::Event) }
    }
}

/// A signed message in its parts.
struct Signed<'a> {
    /// The body without its last brace.
    head: &'a [u8],
    key_id: &'a str,
    mac: &'a str,
}

impl<'a> Signed<'a> {
    fn read(kind: Kind, bytes: &'a [u8]) -> Option<Self> {
        let resent = match kind {
            Kind::Command => bytes.strip_suffix(RESENT.as_bytes()),
            _ => None,
        };
        let open = resent.or_else(|| bytes.strip_suffix(b"}"))?;
        let (head, tail) = open.split_at(open.len().checked_sub(TAIL)?);
        let (key_id, tail) = tail.strip_prefix(BEFORE_ID)?.split_at_checked(ID_DIGITS)?;
        let (mac, end) = tail.strip_prefix(BEFORE_MAC)?.split_at_checked(MAC_DIGITS)?;
        let are_digits = key_id.iter().chain(mac).all(|digit| b"0123456789abcdef".contains(digit));
        let text = |digits: &'a [u8]| std::str::from_utf8(digits).ok();
        (end == AFTER_MAC && are_digits).then_some(Self {
            head,
            key_id: text(key_id)?,
            mac: text(mac)?,
        })
    }
}

impl Keys {
    /// The message with its signature. `bytes` are a JSON object with at least one field.
    #[must_use]
    pub fn sign(&self, about: &About<'_>, mut bytes: Vec<u8>) -> Vec<u8> {
        let key = self.first.key(about.kind);
        bytes.pop();
        let mac = hex(&input(key, about, &bytes).finalize().into_bytes());
        bytes.reserve(TAIL + 1);
        for part in [BEFORE_ID, key.id.as_bytes(), BEFORE_MAC, mac.as_bytes(), AFTER_MAC, b"}"] {
            bytes.extend_from_slice(part);
        }
        bytes
    }

    /// Whether one of these keys has signed this message, in exactly these bytes; its mac if so.
    ///
    /// # Errors
    /// [`BadSignature`].
    pub fn verify<'b>(&self, about: &About<'_>, bytes: &'b [u8]) -> Result<&'b str, BadSignature> {
        let signed = Signed::read(about.kind, bytes).ok_or(BadSignature::Unsigned)?;
        let mut known = self.pairs().map(|pair| pair.key(about.kind));
        let key = known.find(|key| key.id == signed.key_id);
        let key =
            key.ok_or_else(|| BadSignature::UnknownKey { key_id: signed.key_id.to_owned() })?;
        let mut mac = [0; MAC_DIGITS / 2];
        unhex(signed.mac.as_bytes(), &mut mac).ok_or(BadSignature::Wrong)?;
        // In constant time, so that nobody can feel their way to a mac.
        let right = input(key, about, signed.head).verify_slice(&mac);
        right.map(|()| signed.mac).map_err(|_| BadSignature::Wrong)
    }
}

impl KeyPair {
    fn key(&self, kind: Kind) -> &Key {
        match kind {
            Kind::Command | Kind::Cancel => &self.to_router,
            Kind::Reply | Kind::ReplyToUnsigned | Kind::Event | Kind::Catalog => &self.to_agent,
        }
    }
}

/// Everything that is signed; `head` is the body without its last brace.
fn input(key: &Key, about: &About<'_>, head: &[u8]) -> Hmac<Sha256> {
    let deadline = about.deadline.map_or_else(String::new, |deadline| deadline.0.to_string());
    // RFC 2104: a key that is shorter than a block of the hash is filled up with zeros.
    let mut block = [0; 64];
    block[..key.bytes.len()].copy_from_slice(&key.bytes);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in [VERSION, about.kind.word(), about.id, about.session, &deadline] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac.update(&(head.len() as u64 + 1).to_be_bytes());
    mac.update(head);
    mac.update(b"}");
    mac
}

#[cfg(test)]
mod tests;
