//! The channels: whether Telegram knows the bot and its owner, and whether the port for programs is free.

use home::{Check, Home};
use settings::Settings;

use super::files;

pub(super) async fn checks(home: &Home, settings: &Settings) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(telegram(settings).await);
    checks.extend(http(home, settings));
    checks
}

#[cfg(feature = "telegram")]
async fn telegram(settings: &Settings) -> Option<Check> {
    use channel::telegram::Client;
    const NAME: &str = "telegram";
    let mend = home::agent_command("config telegram");
    let Some(token) = settings.telegram_token.clone() else {
        let owner = settings.config.telegram.owner?;
        let seen = format!("user {owner} is its owner, and TELEGRAM_BOT_TOKEN is not set in .env");
        return Some(Check::fail(NAME, seen, mend));
    };
    let address = settings.config.telegram.api_url.as_ref();
    let me = match Client::new(token, address) {
        Ok(client) => client.me().await,
        Err(fault) => Err(fault),
    };
    Some(match (me, settings.config.telegram.owner) {
        (Err(fault), _) => Check::fail(
            NAME,
            fault.to_string(),
            format!("check the network, or set another token: {mend}"),
        ),
        (Ok(me), None) => {
            let seen =
                format!("@{} answers, and has no owner, so it listens to nobody", me.username);
            Check::warn(NAME, seen, mend)
        }
        (Ok(me), Some(owner)) => {
            Check::ok(NAME, format!("@{} answers, user {owner} is its owner", me.username))
        }
    })
}

#[cfg(not(feature = "telegram"))]
async fn telegram(_: &Settings) -> Option<Check> {
    None
}

fn http(home: &Home, settings: &Settings) -> Option<Check> {
    const NAME: &str = "programs";
    let address = settings.config.http.listen?.address();
    if settings.http_token.is_none() {
        return Some(Check::fail(
            NAME,
            format!("the channel at {address} is on, and SAFECLAW_HTTP_TOKEN is not set"),
            home::agent_command(&format!("config http {address}")),
        ));
    }
    let why = match std::net::TcpListener::bind(address) {
        Ok(_) => return Some(Check::ok(NAME, format!("{address} is free for the next start"))),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            // An agent that runs tells by itself when it can't listen.
            if !matches!(files::runs(home), Ok(false)) {
                return Some(Check::ok(
                    NAME,
                    format!("{address} is in use, by the agent that runs"),
                ));
            }
            format!("another program listens at {address}, and no agent runs here")
        }
        Err(error) => format!("{address} can't be listened at: {error}"),
    };
    let other = home::agent_command("config http 127.0.0.1:8788");
    Some(Check::fail(NAME, why, format!("choose another address of this machine: {other}")))
}
