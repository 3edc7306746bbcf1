//! The two bits that say what has entered a session.

use serde::{Deserialize, Serialize};

/// What has entered a session: `T` untrusted text, `P` private data. Written `""`, `"T"`, `"P"` or `"TP"`.
///
/// Only code sets these bits, and nothing but a new session clears them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Taint {
    /// `T`: text that nobody vouches for came in, from a page, a foreign message, a document.
    pub untrusted: bool,
    /// `P`: private data came in.
    pub private: bool,
}

impl Taint {
    /// Nothing has entered.
    pub const CLEAN: Self = Self { untrusted: false, private: false };

    /// This and `other` together: a bit that either has.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            untrusted: self.untrusted || other.untrusted,
            private: self.private || other.private,
        }
    }

    /// Whether neither bit is set.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::CLEAN
    }
}

impl From<Taint> for String {
    fn from(taint: Taint) -> String {
        format!(
            "{}{}",
            if taint.untrusted { "T" } else { "" },
            if taint.private { "P" } else { "" }
        )
    }
}

impl TryFrom<String> for Taint {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "" => Ok(Self::CLEAN),
            "T" => Ok(Self { untrusted: true, private: false }),
            "P" => Ok(Self { untrusted: false, private: true }),
            "TP" => Ok(Self { untrusted: true, private: true }),
            _ => Err(format!("{text:?} is none of \"\", \"T\", \"P\" and \"TP\"")),
        }
    }
}
