//! The kind of speaker a message comes from. It decides what the words may do.

use journal::Role;
use protocol::{Priority, Taint};

/// Who speaks. Channels set it; nothing that is said can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A person at a channel. Only a person runs slash commands, answers questions, stops a turn, and types addresses.
    Person,
    /// A job that has come due, with the trust bits of the turn that made it.
    Clock(Taint),
    /// Another persona. Its words are a model's.
    Persona,
    /// A program that speaks for itself. A program that holds the owner's token speaks for the owner and is a `Person`.
    Program,
}

impl Origin {
    /// Returns `true` if a person speaks.
    #[must_use]
    pub fn is_person(self) -> bool {
        self == Self::Person
    }

    /// The trust bits that the words bring into the session.
    #[must_use]
    pub fn brings(self) -> Taint {
        match self {
            Self::Person => Taint::CLEAN,
            Self::Clock(taint) => taint,
            Self::Persona | Self::Program => Taint { untrusted: true, private: false },
        }
    }

    /// The lane of the commands that a turn of this speaker makes.
    #[must_use]
    pub fn priority(self) -> Priority {
        match self {
            Self::Person => Priority::Interactive,
            Self::Persona | Self::Program => Priority::Normal,
            Self::Clock(_) => Priority::Background,
        }
    }

    /// The name under which the words are listed as a source of the session's bits.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "a person",
            Self::Clock(_) => "a job of the clock",
            Self::Persona => "another persona",
            Self::Program => "a program",
        }
    }
}

impl From<Origin> for Role {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Person => Self::User,
            Origin::Clock(_) => Self::Clock,
            Origin::Persona => Self::Persona,
            Origin::Program => Self::Program,
        }
    }
}
