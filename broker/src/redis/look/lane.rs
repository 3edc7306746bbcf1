//! The lanes that commands wait in.

use serde::Serialize;

use crate::redis::keys::Keys;

/// A lane that commands wait in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// What was handed back: it may have been begun before.
    Again,
    /// What nobody waits for any more.
    Stale,
    /// Interactive commands.
    Hi,
    /// Normal commands, and all of the first SafeClaw's.
    Queue,
    /// Background commands.
    Lo,
}

impl Lane {
    /// All of them, in the order in which they are served most of the time.
    pub const ALL: [Self; 5] = [Self::Again, Self::Stale, Self::Hi, Self::Queue, Self::Lo];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Stale => "stale",
            Self::Hi => "hi",
            Self::Queue => "queue",
            Self::Lo => "lo",
        }
    }

    /// The lane of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.as_str() == name)
    }

    /// The lane that a router knows by this word.
    pub(super) fn known_as(word: &str) -> Option<Self> {
        Self::named(if word == "normal" { "queue" } else { word })
    }

    pub(super) fn key(self, keys: &Keys) -> &str {
        match self {
            Self::Again => &keys.again,
            Self::Stale => &keys.stale,
            Self::Hi => &keys.lanes[0],
            Self::Queue => &keys.lanes[1],
            Self::Lo => &keys.lanes[2],
        }
    }
}
