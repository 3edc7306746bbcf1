//! `telegram` in agent/config.json: who may talk with the agent there.

use serde::{Deserialize, Serialize};

use business::{ChatMode, NotedIn};
use home::ConfigFile;
use serde_json::{Value, json};

use super::keys::{Change, KeyError, NONE};
use super::{AgentConfig, BaseUrl, SettingsError, chosen};

/// Who reaches the agent over Telegram, and where Telegram is. The bot's token stands in `.env` as
/// TELEGRAM_BOT_TOKEN.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Telegram {
    /// The owner's user id; `config telegram` finds it out.
    pub owner: Option<u64>,
    /// Users and chats that may talk with the agent, by their ids. Each is a session of its own, and sees nothing of
    /// the owner's.
    pub allow: Vec<i64>,
    /// The chats that hear what the agent says of its own to all (`_BROADCAST_MSG`); without any, the owner's does.
    pub broadcast_chat_ids: Vec<i64>,
    /// How those are treated who are not allowed; without one it is as `bot_mode` says.
    pub default_mode: Option<ChatMode>,
    /// The address of the Bot API's server, if it is not Telegram's own.
    pub api_url: Option<BaseUrl>,
}

/// The key of those who may talk.
const ALLOW: &str = "telegram.allow";

/// Notes that the user or group `id` may talk with the agent over Telegram, or `may` not any more, beside those whom the settings
/// allow by now.
///
/// # Errors
/// [`SettingsError`]; nothing is noted then.
pub fn keep_allowed(noted: &NotedIn, id: i64, may: bool) -> Result<(), SettingsError> {
    let before = chosen::value(&noted.chosen, ALLOW);
    let mut ids: Vec<i64> = match before.and_then(|ids| serde_json::from_value(ids).ok()) {
        Some(ids) => ids,
        None => ConfigFile::<AgentConfig>::look(&noted.settings)?.settings().telegram.allow.clone(),
    };
    ids.retain(|other| *other != id);
    ids.extend(may.then_some(id));
    chosen::note(&noted.chosen, [(ALLOW, json!(ids))])
}

impl Change<'_> {
    /// Takes the mode of strangers from `given`, or asks for it.
    pub(super) fn telegram_default_mode(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let current = self.file.settings().telegram.default_mode.map(ChatMode::name);
        self.or_none("telegram.default_mode", current.map(str::to_owned), given)
    }

    /// Takes the ids of those who may talk with the agent from `given`, or asks for them.
    pub(super) fn telegram_allow(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let allow = &self.file.settings().telegram.allow;
        let current = allow.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let current = if current.is_empty() { NONE } else { &current };
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask("telegram.allow", current, &[])?,
        };
        let ids = answer.split([',', ' ']).filter(|id| !id.is_empty() && *id != NONE);
        // What is no number is refused by the type, which knows how to say it.
        let ids = ids.map(|id| id.parse::<i64>().map_or_else(|_| json!(id), |id| json!(id)));
        Ok(self.file.set("telegram.allow", Value::Array(ids.collect()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_joins_is_noted_beside_those_whom_the_settings_allow_by_now() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let noted = NotedIn { chosen: at("chosen.json"), settings: at("config.json") };
        let listed = || chosen::value(&noted.chosen, ALLOW);
        std::fs::write(&noted.settings, r#"{"telegram": {"allow": [7, -100]}}"#).unwrap();
        keep_allowed(&noted, 8, true).unwrap();
        assert_eq!(listed(), Some(json!([7, -100, 8])));
        keep_allowed(&noted, 7, false).unwrap();
        keep_allowed(&noted, 8, true).unwrap();
        assert_eq!(listed(), Some(json!([-100, 8])));
        std::fs::remove_file(&noted.chosen).unwrap();
        std::fs::write(&noted.settings, r#"{"telegram": {"allow": [9]}}"#).unwrap();
        keep_allowed(&noted, 8, false).unwrap();
        assert_eq!(listed(), Some(json!([9])), "the owner has changed the settings meanwhile");
    }
}
