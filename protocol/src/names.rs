//! The names on the wire, as newtypes that are checked once, when they are made.

use serde::{Deserialize, Serialize};

/// A name that does not follow its grammar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{shown:?} is no {what}: {rule}")]
pub struct NameError {
    what: &'static str,
    rule: &'static str,
    /// The beginning of what was given, so that an error stays readable for any input.
    shown: String,
}

impl NameError {
    fn new(what: &'static str, rule: &'static str, given: &str) -> Self {
        Self { what, rule, shown: given.chars().take(80).collect() }
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks `text` against the grammar.
            ///
            /// # Errors
            /// [`NameError`] names the rule that `text` breaks.
            pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
                let text = text.into();
                let follows: fn(&str) -> bool = $check;
                if follows(&text) { Ok(Self(text)) } else { Err(NameError::new($what, $rule, &text)) }
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = NameError;
            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// The name of an action, `^_?[A-Z][A-Z0-9_]{0,63}$`. A leading `_` marks an action that the agent
    /// runs itself.
    ActionName, "action name",
    "it is 1 to 64 of A-Z, 0-9 and _, starting with a letter, after an optional leading _",
    |text| {
        let rest = text.strip_prefix('_').unwrap_or(text);
        rest.len() <= 64
            && rest.starts_with(|c: char| c.is_ascii_uppercase())
            && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    }
}

/// The requests to the router itself. No skill has such a name, and no model asks for one.
pub const RESERVED_NAMES: [&str; 10] = [
    "APPROVE",
    "APPROVALS",
    "STOP",
    "PERMIT",
    "ACTS",
    "GRANTS",
    "NET",
    "UNLOCK_SESSION",
    "WORK",
    "REDACT",
];

impl ActionName {
    /// Whether it is a request to the router itself, which people and the agent's own code make.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        RESERVED_NAMES.contains(&self.as_str())
    }

    /// Whether the agent runs this action itself instead of putting it on the queue.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.0.starts_with('_')
    }
}

name! {
    /// The id of a command, which is also its idempotency key: 1 to 128 bytes of `[A-Za-z0-9_.:{}-]`.
    ///
    /// The braces are allowed because a Redis Cluster needs them to keep related keys in one slot.
    MessageId, "message id", "it is 1 to 128 of A-Z, a-z, 0-9 and _ . : { } -",
    |text| {
        (1..=128).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:{}-".contains(&b))
    }
}

name! {
    /// The key of one conversation: 1 to 128 bytes of `[A-Za-z0-9_.:-]`. It names a folder and a Redis
    /// key, so it holds nothing that means something to either.
    SessionKey, "session key", "it is 1 to 128 of A-Z, a-z, 0-9 and _ . : -, and not dots alone",
    |text| {
        (1..=128).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b))
            && text.bytes().any(|b| b != b'.')
    }
}

name! {
    /// The name of a set of actions that are offered together: 1 to 32 bytes of `[a-z0-9-]`, starting with a letter.
    SetName, "set of actions", "it is 1 to 32 of a-z, 0-9 and -, starting with a letter",
    |text| {
        (1..=32).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    }
}

/// The key of the session that all of the owner's channels share. Every other session is a guest's.
pub const OWNER: &str = "owner";

impl SessionKey {
    /// The key of the session that all of the owner's channels share.
    #[must_use]
    pub fn owner() -> Self {
        Self(OWNER.to_owned())
    }

    /// Returns `true` for the owner's session.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        self.0 == OWNER
    }
}

name! {
    /// Who asked, as `<channel>:<id>`, for example `telegram:4711`: at most 128 bytes of
    /// `[A-Za-z0-9_.:@-]` with one colon inside.
    Principal, "principal", "it is <channel>:<id>, at most 128 of A-Z, a-z, 0-9 and _ . : @ -",
    |text| {
        text.len() <= 128
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:@-".contains(&b))
            && text.split_once(':').is_some_and(|(channel, id)| !channel.is_empty() && !id.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_names_follow_the_grammar() {
        for good in
            ["A", "_A", "CREATE_POST", "X2", &"A".repeat(64), &format!("_{}", "A".repeat(64))]
        {
            assert!(ActionName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "_", "__A", "create_post", "2X", "A B", "A\n", "Ä", "../X", &"A".repeat(65)]
        {
            assert!(ActionName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_leading_underscore_makes_an_action_local() {
        assert!(ActionName::new("_MEMORY_WRITE").unwrap().is_local());
        assert!(!ActionName::new("CREATE_POST").unwrap().is_local());
    }

    #[test]
    fn the_owners_session_and_the_routers_own_requests_have_names_that_follow_the_grammar() {
        assert_eq!(SessionKey::new(OWNER), Ok(SessionKey::owner()));
        assert!(SessionKey::owner().is_owner());
        assert!(!SessionKey::new("owner-2").unwrap().is_owner());
        for name in RESERVED_NAMES {
            assert!(ActionName::new(name).unwrap().is_reserved());
        }
        assert!(!ActionName::new("APPROVED").unwrap().is_reserved());
    }

    #[test]
    fn sets_have_plain_names() {
        for good in ["library", "web-2"] {
            assert!(SetName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "Library", "2d", "a b", "a_b", &"a".repeat(33)] {
            assert!(SetName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ids_hold_nothing_that_redis_or_a_terminal_would_act_on() {
        for good in ["a", "0197-a.b:c_d", "{safeclaw:command_queue}abc"] {
            assert!(MessageId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "a\r\n", "a\0", "é", &"a".repeat(129)] {
            assert!(MessageId::new(bad).is_err(), "{bad}");
        }
        for bad in ["..", ".", "", "a/b", "{a}"] {
            assert!(SessionKey::new(bad).is_err(), "{bad}");
        }
        for bad in ["telegram", ":1", "telegram:", "a b:c"] {
            assert!(Principal::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_error_shows_the_beginning_of_what_was_given() {
        let error = MessageId::new("x ".repeat(5_000)).unwrap_err().to_string();
        assert!(error.len() < 250, "{error}");
    }

    #[test]
    fn names_are_checked_when_they_are_read() {
        assert!(serde_json::from_str::<ActionName>(r#""create_post""#).is_err());
        assert_eq!(serde_json::from_str::<ActionName>(r#""A""#).unwrap().as_str(), "A");
    }
}
