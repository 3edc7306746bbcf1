//! The keys that both sides hold, and the file that they are written in.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

/// How long a key is, in bytes: 256 bits.
const BYTES: usize = 32;

/// The words before a key in the file.
const TO_ROUTER: &str = "agent-to-router";
const TO_AGENT: &str = "router-to-agent";

/// A secret that signs in one direction.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) bytes: [u8; BYTES],
    /// The first 8 hexadecimal digits of its SHA-256.
    pub(super) id: String,
}

/// One key each way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyPair {
    /// Signs what agents say.
    pub(super) to_router: Key,
    /// Signs what routers say.
    pub(super) to_agent: Key,
}

/// The keys of one installation: the first pair signs, all of them verify.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keys {
    pub(super) first: KeyPair,
    pub(super) others: Vec<KeyPair>,
}

/// Why a text holds no keys. No message shows any of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// There is no pair in it.
    #[error("it holds no key")]
    Empty,
    /// A line is no key, or too short a one.
    #[error(
        "line {line} is no key: `{TO_ROUTER} KEY` or `{TO_AGENT} KEY` with 64 hexadecimal digits, one line each"
    )]
    Line {
        /// The line, counted from 1.
        line: usize,
    },
    /// The two lines of a pair don't stand together.
    #[error(
        "at line {line} a pair is not whole: each is a line {TO_ROUTER}, then a line {TO_AGENT}"
    )]
    Half {
        /// The line, counted from 1.
        line: usize,
    },
    /// A key stands twice, so one direction could be taken for the other.
    #[error("line {line} is a key that stands there already")]
    Twice {
        /// The line, counted from 1.
        line: usize,
    },
}

impl Key {
    pub(super) fn new(bytes: [u8; BYTES]) -> Self {
        let id = hex(&Sha256::digest(bytes)[..4]);
        Self { bytes, id }
    }
}

impl KeyPair {
    /// The pair of these secrets: of the agent's half and of the router's. They must be random.
    #[must_use]
    pub fn new(to_router: [u8; BYTES], to_agent: [u8; BYTES]) -> Self {
        Self { to_router: Key::new(to_router), to_agent: Key::new(to_agent) }
    }

    /// The two lines of a key file that hold it.
    #[must_use]
    pub fn lines(&self) -> String {
        let [to_router, to_agent] = [&self.to_router, &self.to_agent].map(|key| hex(&key.bytes));
        format!("{TO_ROUTER} {to_router}\n{TO_AGENT} {to_agent}\n")
    }

    /// The `key_id`s of what agents sign and of what routers sign.
    #[must_use]
    pub fn ids(&self) -> [&str; 2] {
        [&self.to_router.id, &self.to_agent.id]
    }
}

impl Keys {
    /// One pair, which signs and verifies.
    #[must_use]
    pub fn new(pair: KeyPair) -> Self {
        Self { first: pair, others: Vec::new() }
    }

    /// Reads the text of a key file: pairs of lines `agent-to-router KEY` and `router-to-agent KEY`, a key being 64
    /// hexadecimal digits. Empty lines and lines that begin with `#` say nothing.
    ///
    /// # Errors
    /// [`KeysError`] names the line, and shows nothing of it.
    pub fn parse(text: &str) -> Result<Self, KeysError> {
        let mut lines = (1..).zip(text.lines().map(str::trim));
        let mut keys =
            lines.by_ref().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (mut pairs, mut known) = (Vec::new(), Vec::new());
        while let Some((line, text)) = keys.next() {
            let to_router = key(line, text, TO_ROUTER)?;
            let (next, text) = keys.next().ok_or(KeysError::Half { line })?;
            let to_agent = key(next, text, TO_AGENT)?;
            for (line, bytes) in [(line, to_router), (next, to_agent)] {
                if known.contains(&bytes) {
                    return Err(KeysError::Twice { line });
                }
                known.push(bytes);
            }
            pairs.push(KeyPair::new(to_router, to_agent));
        }
        let mut pairs = pairs.into_iter();
        let first = pairs.next().ok_or(KeysError::Empty)?;
        Ok(Self { first, others: pairs.collect() })
    }

    /// All pairs, the one that signs first.
    pub fn pairs(&self) -> impl Iterator<Item = &KeyPair> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

fn key(line: usize, text: &str, word: &str) -> Result<[u8; BYTES], KeysError> {
    let (found, digits) = text.split_once(' ').ok_or(KeysError::Line { line })?;
    let mut bytes = [0; BYTES];
    unhex(digits.trim().as_bytes(), &mut bytes).ok_or(KeysError::Line { line })?;
    match found {
        found if found == word => Ok(bytes),
        TO_ROUTER | TO_AGENT => Err(KeysError::Half { line }),
        _ => Err(KeysError::Line { line }),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads hexadecimal digits into all of `bytes`; nothing when they are too many, too few or none.
pub(super) fn unhex(digits: &[u8], bytes: &mut [u8]) -> Option<()> {
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(())
}

/// Shows the id alone.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(n: u8) -> KeyPair {
        KeyPair::new([n; BYTES], [n + 100; BYTES])
    }

    #[test]
    fn what_is_written_is_read_and_the_first_pair_signs() {
        let text = format!("# why\n\n{}\n{}", pair(1).lines(), pair(2).lines());
        let keys = Keys::parse(&text).unwrap();
        assert_eq!((&keys.first, &keys.others), (&pair(1), &vec![pair(2)]));
        assert_eq!(Keys::parse(&pair(1).lines()), Ok(Keys::new(pair(1))));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_refused() {
        let text = pair(1).lines();
        // Without the line's end it is whole.
        for end in 0..text.len() - 1 {
            assert!(Keys::parse(&text[..end]).is_err(), "{end} of {}", text.len());
        }
    }

    #[test]
    fn what_is_no_pair_is_refused_with_its_line_and_without_its_secret() {
        let [one, other] = [pair(1).lines(), pair(2).lines()];
        let (to_router, to_agent) = one.split_once('\n').unwrap();
        let short = &to_router[..to_router.len() - 2];
        for (text, error) in [
            (String::new(), KeysError::Empty),
            ("# nothing\n".to_owned(), KeysError::Empty),
            (format!("{to_router}\n"), KeysError::Half { line: 1 }),
            (format!("{to_agent}{to_router}\n"), KeysError::Half { line: 1 }),
            (format!("{to_agent}\n"), KeysError::Half { line: 1 }),
            (format!("{to_router}\n{to_router}\n"), KeysError::Half { line: 2 }),
            (format!("{short}\n{to_agent}"), KeysError::Line { line: 1 }),
            (format!("{other}{one}{one}"), KeysError::Twice { line: 5 }),
            (format!("{other}hunter2\n"), KeysError::Line { line: 3 }),
            (to_router.replace("agent-to-router", "agent"), KeysError::Line { line: 1 }),
        ] {
            let refused = Keys::parse(&text).unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!refused.to_string().contains("0101") && !refused.to_string().contains("hunt"));
        }
    }

    #[test]
    fn its_debug_form_shows_no_secret() {
        let shown = format!("{:?}", Keys::new(pair(1)));
        assert!(shown.contains(pair(1).ids()[0]) && !shown.contains("1, 1"), "{shown}");
    }
}
