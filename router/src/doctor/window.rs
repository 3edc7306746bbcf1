//! The window: whether it is shown where its owner wants it.

use std::time::Duration;

use home::{Check, Home};
use tokio::net::TcpStream;
use window::KeyFile;

use crate::config::Settings;

const NAME: &str = "window";

/// How long it may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);

/// Nothing where it is off.
pub(super) async fn check(home: &Home, settings: &Settings) -> Option<Check> {
    let address = settings.config.window.0?;
    let start = || format!("start a router: {}", home::router_command("").trim_end());
    let address = match KeyFile::read(&KeyFile::path(&home.router_state())) {
        Err(error) => return Some(Check::fail(NAME, error.to_string(), "restart the router")),
        Ok(None) => {
            let seen = format!("it is on at {address}, and no router of this home shows it");
            return Some(Check::warn(NAME, seen, start()));
        }
        Ok(Some(key)) => key.listen,
    };
    let connected = tokio::time::timeout(PATIENCE, TcpStream::connect(address.socket())).await;
    Some(match connected {
        Ok(Ok(_)) => Check::ok(NAME, format!("it is shown at http://{address}")),
        _ => {
            Check::warn(NAME, format!("nothing answers at {address}, where it should be"), start())
        }
    })
}
