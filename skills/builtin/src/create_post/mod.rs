//! CREATE_POST: publishes a text on X, LinkedIn or Mastodon through its documented HTTP API.
//!
//! What the networks have in common is here: check the length, make the request, show it or send it, tell
//! how it went. What differs is one file each, with the same parts in the same order.

mod length;
mod linkedin;
mod mastodon;
mod trouble;
mod x;

use safeclaw_skill::http::{self, Request, Response};
use safeclaw_skill::{Call, SkillError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use length::Length;
use linkedin::LinkedIn;
use mastodon::Mastodon;
use x::X;

/// What it is called with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    platform: Platform,
    text: String,
}

/// Where the text is published.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
enum Platform {
    X,
    LinkedIn,
    Mastodon,
}

impl Platform {
    fn network(self, call: &Call) -> Result<Box<dyn Network>, SkillError> {
        Ok(match self {
            Self::X => Box::new(X::new(call)?),
            Self::LinkedIn => Box::new(LinkedIn::new(call)?),
            Self::Mastodon => Box::new(Mastodon::new(call)?),
        })
    }
}

/// One network's API.
trait Network {
    /// The name that people know it by.
    fn name(&self) -> &'static str;

    /// How long `text` is, and how long it may be, as the network itself counts.
    fn length(&self, text: &str, call: &Call) -> Result<Length, SkillError>;

    /// The request that publishes `text`.
    fn request(&self, text: &str, call: &Call) -> Result<Request, SkillError>;

    /// Where the post stands, from the answer to that request.
    fn posted(&self, response: Response) -> Result<Posted, SkillError>;

    /// What a person can do about an answer with this status, if it is known.
    fn advice(&self, status: u16) -> Option<String>;
}

/// A published post.
struct Posted {
    id: String,
    url: String,
}

pub(crate) fn run(params: Params, call: &Call) -> Result<Value, SkillError> {
    let Params { platform, text } = params;
    if text.trim().is_empty() {
        return Err(SkillError::new("there is nothing to post: the text is empty"));
    }
    let network = platform.network(call)?;
    network.length(&text, call)?.check(network.name())?;
    let request = network.request(&text, call)?;
    if call.is_dry_run() {
        return Ok(request.would_send());
    }
    let Posted { id, url } = publish(&*network, &request, call)?;
    Ok(json!({"platform": platform, "id": id, "url": url}))
}

fn publish(network: &dyn Network, request: &Request, call: &Call) -> Result<Posted, SkillError> {
    let name = network.name();
    let response = call.http().send(request).map_err(|error| unanswered(name, error))?;
    if response.may_have_acted() {
        let status = response.status();
        return Err(unsure(name, &format!("it answered {status}: {}", response.words())));
    }
    if !response.is_success() {
        return Err(trouble::said(network, "did not take the post", response));
    }
    network.posted(response).map_err(|error| {
        SkillError::new(format!(
            "{name} has taken the post, but does not say where it is: {error}. Do not send it again"
        ))
        .maybe_executed()
    })
}

fn unanswered(name: &str, error: http::Error) -> SkillError {
    let may_have_arrived = error.may_have_arrived();
    let words = SkillError::from(error).to_string();
    match may_have_arrived {
        true => unsure(name, &words),
        false => SkillError::new(format!("nothing was posted on {name}: {words}")),
    }
}

fn unsure(name: &str, words: &str) -> SkillError {
    let words = words.trim_end_matches('.');
    SkillError::new(format!(
        "whether {name} has the post is not known: {words}. Look there before you send it again"
    ))
    .maybe_executed()
}

/// The setting `name`, the address of an API, without a slash at its end.
fn base(call: &Call, name: &str) -> Result<String, SkillError> {
    let url: url::Url = call.setting(name)?;
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests;
