//! What a person names: a command by its id, or a dead letter by its own name.

use std::fmt;
use std::str::FromStr;

use protocol::{MessageId, NameError};

use super::letters::LetterName;

/// What a person names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A command, wherever it is.
    Id(MessageId),
    /// One dead letter.
    Letter(LetterName),
}

impl FromStr for Target {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match LetterName::parse(text) {
            Some(name) => Ok(Self::Letter(name)),
            None => MessageId::new(text).map(Self::Id),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id(id) => id.as_str(),
            Self::Letter(name) => name.as_str(),
        })
    }
}
