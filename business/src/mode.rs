//! The modes of chats, and what becomes of a message by them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a chat is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatMode {
    /// Its people are customers: they are answered from what the business allows.
    Business,
    /// What is said there is kept, and never answered.
    Silent,
    /// Nothing is kept and nothing is answered.
    Off,
}

/// Whom the bot is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BotMode {
    /// For the owner and those whom the owner allows. Strangers are refused.
    #[default]
    Personal,
    /// For everybody: whoever is not known is a customer.
    Business,
}

/// How somebody stands who writes in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatStanding {
    /// The owner, in the owner's own conversation.
    Owner,
    /// Somebody whom the owner has allowed, in a chat without a mode.
    Allowed,
    /// Somebody in a chat with this mode.
    In(ChatMode),
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Nothing: no word is kept, and none is said.
    Skip,
    /// It is kept and not answered.
    Archive,
    /// It goes on to its session.
    Answer,
}

impl ChatMode {
    /// All of them, as they are offered.
    pub const ALL: [Self; 3] = [Self::Business, Self::Silent, Self::Off];

    /// The mode called `name`, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Business => "business",
            Self::Silent => "silent",
            Self::Off => "off",
        }
    }

    /// What becomes of what somebody writes in such a chat.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::Business => "is answered as a customer's",
            Self::Silent => "is kept and not answered",
            Self::Off => "is neither kept nor answered",
        }
    }
}

impl fmt::Display for ChatMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl BotMode {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Business => "business",
        }
    }

    /// The mode that it gives a chat of somebody who is not known, if it gives one.
    #[must_use]
    pub fn gives(self) -> Option<ChatMode> {
        match self {
            Self::Personal => None,
            Self::Business => Some(ChatMode::Business),
        }
    }
}

impl fmt::Display for BotMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BotMode {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let all = [Self::Personal, Self::Business];
        all.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(name)).ok_or(())
    }
}

impl ChatStanding {
    /// What becomes of a message.
    #[must_use]
    pub fn route(self) -> Route {
        match self {
            Self::In(ChatMode::Off) => Route::Skip,
            Self::In(ChatMode::Silent) => Route::Archive,
            Self::Owner | Self::Allowed | Self::In(ChatMode::Business) => Route::Answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_in_any_case() {
        assert_eq!(ChatMode::named("OFF"), Some(ChatMode::Off));
        assert_eq!(ChatMode::named("personal"), None);
        assert_eq!("Business".parse(), Ok(BotMode::Business));
        assert_eq!("off".parse::<BotMode>(), Err(()));
        assert_eq!(serde_json::to_string(&ChatMode::Silent).unwrap(), "\"silent\"");
    }
}
