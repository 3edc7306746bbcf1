//! Mastodon, on any server: <https://docs.joinmastodon.org/methods/statuses/#create>.

use safeclaw_skill::http::{Request, Response};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::length::{Length, graphemes};
use super::trouble::new_token;
use super::{Network, Posted, base};

/// The secret in router/.env.
const TOKEN: &str = "MASTODON_TOKEN";

/// The longest post on a server that names no limit, in characters.
const LIMIT: usize = 500;

/// A Mastodon server as the settings describe it.
pub(super) struct Mastodon {
    url: String,
}

impl Mastodon {
    pub(super) fn new(call: &Call) -> Result<Self, SkillError> {
        Ok(Self { url: base(call, "mastodon_url")? })
    }

    /// The server's own limit. One that does not say has the default, and the last word when it is asked
    /// to publish.
    fn limit(&self, call: &Call) -> usize {
        if call.is_dry_run() {
            return LIMIT;
        }
        let request = Request::get(format!("{}/api/v2/instance", self.url));
        let answer = call.http().send(&request).and_then(Response::ok).and_then(Response::json);
        let instance: Value = answer.unwrap_or_default();
        let limit = instance["configuration"]["statuses"]["max_characters"].as_u64();
        limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT)
    }
}

/// The part of a Status that is of use: <https://docs.joinmastodon.org/entities/Status/>.
#[derive(Deserialize)]
struct Status {
    id: String,
    url: Option<String>,
}

impl Network for Mastodon {
    fn name(&self) -> &'static str {
        "Mastodon"
    }

    fn length(&self, text: &str, call: &Call) -> Result<Length, SkillError> {
        let unit = "characters as Mastodon counts them (a link 23)";
        Ok(Length { counted: graphemes(text), limit: self.limit(call), unit })
    }

    fn request(&self, text: &str, call: &Call) -> Result<Request, SkillError> {
        Ok(Request::post(format!("{}/api/v1/statuses", self.url))
            .secret("Authorization", "Bearer {}", TOKEN)
            .header("Idempotency-Key", call.message_id())
            .json(json!({"status": text})))
    }

    fn posted(&self, response: Response) -> Result<Posted, SkillError> {
        let Status { id, url } = response.json()?;
        Ok(Posted { id, url: url.unwrap_or_else(|| self.url.clone()) })
    }

    fn advice(&self, status: u16) -> Option<String> {
        let place = format!("under Preferences, Development at {}/settings/applications", self.url);
        match status {
            401 => {
                let how = format!("make an application with the scope write:statuses {place}");
                Some(new_token(&format!("{how}, copy its access token"), TOKEN))
            }
            403 => Some(format!("The token has to have the scope write:statuses: look {place}")),
            _ => None,
        }
    }
}
