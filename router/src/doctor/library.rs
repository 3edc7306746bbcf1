//! The library: whether what tells the meaning of papers can be connected to. Nothing is sent, and no paper is read.

use std::time::Duration;

use egress::Target;
use home::Check;
use tokio::net::TcpStream;

use crate::config::Settings;

const NAME: &str = "library";

/// How long the server may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Nothing where papers are found by their words alone.
pub(super) async fn check(settings: &Settings) -> Option<Check> {
    let wishes = &settings.config.skills.get("MEANING")?.settings;
    let (url, model) = (wishes.get("embed_url")?, wishes.get("embed_model")?);
    let again = || home::router_command("library embed MODEL");
    let Ok(target) = url.parse::<Target>() else {
        let seen =
            "skills.MEANING.settings.embed_url in router/config.json is no http or https address";
        return Some(Check::fail(NAME, seen, again()));
    };
    let endpoint = &target.origin().endpoint;
    let connected = tokio::time::timeout(PATIENCE, TcpStream::connect(endpoint.to_string())).await;
    let words = "papers are found by their words alone meanwhile";
    Some(match connected {
        Ok(Ok(_)) => Check::ok(NAME, format!("papers are found by meaning: {model} at {endpoint}")),
        Ok(Err(error)) => Check::warn(
            NAME,
            format!("{endpoint} can't be connected to: {error}; {words}"),
            again(),
        ),
        Err(_) => {
            let seen =
                format!("{endpoint} does not answer within {} s; {words}", PATIENCE.as_secs());
            Check::warn(NAME, seen, again())
        }
    })
}
