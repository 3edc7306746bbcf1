//! The modes of chats, and the order in which a message is judged.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What every message of the agent's own begins with where it writes under the name of a person. One that comes back so is
/// not read.
pub const OWN_MARK: &str = "[safeclaw] ";

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
    /// It is a command.
    Command,
    /// It is a message to the agent.
    Natural,
    /// It is a customer's message.
    Business,
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

    /// What it means, behind the name of a chat.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::Business => "is answered as a customer",
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
    /// What becomes of a message: the agent's own words are skipped first, then off, silent, commands, what is said to the agent
    /// and what customers say. An answer that a question waits for comes before all of it, and is the owner's alone.
    #[must_use]
    pub fn route(self, text: &str) -> Route {
        let is_command = text.trim_start().starts_with('/');
        match self {
            Self::Owner if is_command => Route::Command,
            Self::Owner => Route::Natural,
            _ if text.starts_with(OWN_MARK) => Route::Skip,
            Self::In(ChatMode::Off) => Route::Skip,
            Self::In(ChatMode::Silent) => Route::Archive,
            _ if is_command => Route::Command,
            Self::Allowed => Route::Natural,
            Self::In(ChatMode::Business) => Route::Business,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_judged_in_one_order() {
        let own = format!("{OWN_MARK}/help");
        let routes =
            |standing: ChatStanding| ["hi", "/help", own.as_str()].map(|text| standing.route(text));
        use Route::{Archive, Business, Command, Natural, Skip};
        assert_eq!(routes(ChatStanding::In(ChatMode::Off)), [Skip; 3]);
        assert_eq!(routes(ChatStanding::In(ChatMode::Silent)), [Archive, Archive, Skip]);
        assert_eq!(routes(ChatStanding::In(ChatMode::Business)), [Business, Command, Skip]);
        assert_eq!(routes(ChatStanding::Allowed), [Natural, Command, Skip]);
        // The owner's own words count, whatever they begin with.
        assert_eq!(routes(ChatStanding::Owner), [Natural, Command, Natural]);
    }

    #[test]
    fn names_count_in_any_case() {
        assert_eq!(ChatMode::named("OFF"), Some(ChatMode::Off));
        assert_eq!(ChatMode::named("personal"), None);
        assert_eq!("Business".parse(), Ok(BotMode::Business));
        assert_eq!("off".parse::<BotMode>(), Err(()));
        assert_eq!(serde_json::to_string(&ChatMode::Silent).unwrap(), "\"silent\"");
    }
}
