//! X, by its API v2: <https://docs.x.com/x-api/posts/create-post>.

use safeclaw_skill::http::{Request, Response};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::json;

use super::length::{Length, weighted};
use super::trouble::new_token;
use super::{Network, Posted, base};

/// The secret in router/.env.
const TOKEN: &str = "X_TOKEN";

/// The longest post of an ordinary account, in weighted characters.
const LIMIT: usize = 280;

/// X as the settings describe it.
pub(super) struct X {
    url: String,
}

impl X {
    pub(super) fn new(call: &Call) -> Result<Self, SkillError> {
        Ok(Self { url: base(call, "x_url")? })
    }
}

/// The part of the answer that is of use.
#[derive(Deserialize)]
struct Created {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    id: String,
}

impl Network for X {
    fn name(&self) -> &'static str {
        "X"
    }

    fn length(&self, text: &str, _call: &Call) -> Result<Length, SkillError> {
        let unit = "characters as X counts them (a link 23; CJK and emoji 2 each)";
        Ok(Length { counted: weighted(text), limit: LIMIT, unit })
    }

    fn request(&self, text: &str, _call: &Call) -> Result<Request, SkillError> {
        Ok(Request::post(format!("{}/2/tweets", self.url))
            .secret("Authorization", "Bearer {}", TOKEN)
            .json(json!({"text": text})))
    }

    fn posted(&self, response: Response) -> Result<Posted, SkillError> {
        let Created { data: Data { id } } = response.json()?;
        // The form of a post's address that needs no user name.
        Ok(Posted { url: format!("https://x.com/i/web/status/{id}"), id })
    }

    fn advice(&self, status: u16) -> Option<String> {
        let scopes = "with the scopes tweet.read, tweet.write and users.read";
        (status == 401).then(|| {
            let how = format!("make a new user access token {scopes} at https://developer.x.com");
            new_token(&how, TOKEN)
        })
    }
}
