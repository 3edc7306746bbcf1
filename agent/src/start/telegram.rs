//! The Telegram channel, if there is a bot.

use protocol::NameError;

use super::channels::On;
use crate::channel::telegram::{Client, Telegram};
use crate::config::Settings;
use crate::workspace::Workspace;

/// The channel of the bot whose token is set.
pub(super) fn channel(settings: &Settings, workspace: &Workspace) -> Result<Option<On>, NameError> {
    let Some(token) = settings.telegram_token.clone() else { return Ok(None) };
    let of = &settings.config.telegram;
    let client = match Client::new(token, of.api_url.as_ref()) {
        Ok(client) => client,
        // The other channels are not worse for that.
        Err(fault) => {
            tracing::warn!("there is no Telegram channel: {fault}");
            return Ok(None);
        }
    };
    let journal = workspace.folder().join("telegram.json");
    let channel = Telegram::new(client, of, settings.config.timeout.span(), journal)?;
    let owner = of.owner.map_or_else(
        || format!("nobody is the owner there; run `{}`", home::agent_command("config telegram")),
        |owner| format!("user {owner} is the owner"),
    );
    let guests = match of.allow.len() {
        0 => String::new(),
        count => format!(", and {count} more may talk"),
    };
    let line = format!("telegram: on, {owner}{guests}");
    Ok(Some(On { channel: Box::new(channel), line }))
}
