//! `bot_mode` and `customers` in agent/config.json: whom the bot is for, and how much customers may take.

use std::path::Path;

use business::BotMode;
use serde_json::json;

use super::{SettingsError, chosen};

/// Notes at `path` whom the bot is for.
///
/// # Errors
/// [`SettingsError`]; nothing is noted then.
pub fn keep_bot_mode(path: &Path, bot_mode: BotMode) -> Result<(), SettingsError> {
    chosen::note(path, [("bot_mode", json!(bot_mode))])
}
