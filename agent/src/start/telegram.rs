//! The Telegram channel, if there is a bot.

use std::sync::Arc;

use business::{BotMode, Reception};
use channel::http::web::Page;
use channel::telegram::{Client, Telegram};
use protocol::NameError;
use settings::Settings;

use super::channels::On;

/// The channel of the bot whose token is set.
pub(super) fn channel(
    settings: &Settings,
    page: &Page,
    reception: &Arc<Reception>,
) -> Result<Option<On>, NameError> {
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
    let timeout = settings.config.timeout.span();
    let kept = (page.workspace.folder(), &page.given);
    let channel = Telegram::new(client, of, timeout, Arc::clone(reception), kept)?;
    let owner = of.owner.map_or_else(
        || format!("nobody is the owner there; run `{}`", home::agent_command("config telegram")),
        |owner| format!("user {owner} is the owner"),
    );
    let guests = match of.allow.len() {
        0 => String::new(),
        count => format!(", and {count} more may talk"),
    };
    let customers = match reception.bot_mode() {
        BotMode::Business => "; strangers are customers",
        BotMode::Personal => "",
    };
    let line = format!("telegram: on, {owner}{guests}{customers}");
    Ok(Some(On { channel: Box::new(channel), line }))
}
