//! The owner's address that NOTIFY sends to: whether it is one, and whether its host can be connected to. Nothing is sent.

use std::time::Duration;

use egress::Target;
use home::Check;
use tokio::net::TcpStream;

use crate::config::Settings;

const NAME: &str = "notify";

/// How long the host may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Nothing where no address is set.
pub(super) async fn check(settings: &Settings) -> Option<Check> {
    let wishes = settings.config.skills.get("NOTIFY")?;
    let url = wishes.settings.get("url").filter(|url| !url.trim().is_empty())?;
    let again = || home::router_command("notify URL");
    let target: Target = match url.parse() {
        Ok(target) => target,
        // What stands there may be as good as a password.
        Err(_) => {
            let seen =
                "skills.NOTIFY.settings.url in router/config.json is no http or https address";
            return Some(Check::fail(NAME, seen, again()));
        }
    };
    let endpoint = &target.origin().endpoint;
    let connected = tokio::time::timeout(PATIENCE, TcpStream::connect(endpoint.to_string())).await;
    Some(match connected {
        Ok(Ok(_)) => Check::ok(NAME, format!("{endpoint} can be connected to")),
        Ok(Err(error)) => {
            Check::warn(NAME, format!("{endpoint} can't be connected to: {error}"), again())
        }
        Err(_) => {
            let seen = format!("{endpoint} does not answer within {} s", PATIENCE.as_secs());
            Check::warn(NAME, seen, again())
        }
    })
}
