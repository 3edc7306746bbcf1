//! `telegram` in agent/config.json: who may talk with the agent there.

use serde::{Deserialize, Serialize};

use super::BaseUrl;

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
    /// The address of the Bot API's server, if it is not Telegram's own.
    pub api_url: Option<BaseUrl>,
}
