//! Bridges: programs that carry the talk of other people in, each with a token of its own. The tokens are made of the token for
//! programs, so that no further secret has to be kept; a new one of those ends them all, and so does taking a name from
//! `http.bridges`.

use loopback::derived_token;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::keys::{Change, KeyError};

/// What the key is made of besides the token, so that no other use of the token makes one of a bridge's.
const USE: &str = "SafeClaw bridge 1";

/// How long a name may be, in bytes.
const LONGEST: usize = 16;

/// The names that would pass for somebody else's.
const TAKEN: [&str; 5] = ["owner", "console", "telegram", "http", "clock"];

/// An empty list, as people write it.
const NONE: &str = "none";

/// The name of a bridge: 1 to 16 of a-z and 0-9.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bridge(String);

impl Bridge {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it shows: its name, and a signature with `token`, the one for programs.
    #[must_use]
    pub fn token(&self, token: &SecretString) -> SecretString {
        let signature = derived_token(USE, token.expose_secret().as_bytes(), &self.0);
        format!("{}.{signature}", self.0).into()
    }
}

impl TryFrom<String> for Bridge {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_name = (1..=LONGEST).contains(&name.len()) && name.bytes().all(fits);
        if is_name && !TAKEN.contains(&name.as_str()) {
            return Ok(Self(name));
        }
        Err(format!(
            "the name of a bridge: 1 to {LONGEST} of a-z and 0-9, and none of {}",
            TAKEN.join(", ")
        ))
    }
}

impl From<Bridge> for String {
    fn from(bridge: Bridge) -> Self {
        bridge.0
    }
}

impl Change<'_> {
    /// Takes the names of bridges from `given`, or asks for them.
    pub(super) fn http_bridges(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let bridges = &self.file.settings().http.bridges;
        let current = bridges.iter().map(Bridge::as_str).collect::<Vec<_>>().join(", ");
        let current = if current.is_empty() { NONE } else { &current };
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask("http.bridges", current, &[])?,
        };
        let names = answer.split([',', ' ']).filter(|name| !name.is_empty() && *name != NONE);
        Ok(self.file.set("http.bridges", names.map(|name| json!(name)).collect())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_of_one_bridge_and_of_one_token_for_programs() {
        let bridge = |name: &str| Bridge::try_from(name.to_owned());
        let shown = |name, token: &str| {
            bridge(name).unwrap().token(&token.into()).expose_secret().to_owned()
        };
        assert!(shown("matrix", "a").starts_with("matrix."));
        assert_ne!(shown("matrix", "a"), shown("matrix", "b"));
        let ending = |token: String| token.split_once('.').unwrap().1.to_owned();
        assert_ne!(ending(shown("matrix", "a")), ending(shown("irc", "a")));
        for wrong in ["", "owner", "http", "Matrix", "a-b", "a.b", "seventeen-letters", "\u{e9}"] {
            assert!(bridge(wrong).is_err(), "{wrong}");
        }
    }
}
