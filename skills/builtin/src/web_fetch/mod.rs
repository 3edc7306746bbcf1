//! WEB_FETCH: a public page's title and readable text.
//!
//! The wall decides which address may be asked, at the first request and at every redirect. Here the page
//! is kept small: of its type, its bytes, what they unpack to, and the text that is handed on.

mod kind;
mod links;
mod outline;
mod readable;
mod unpack;

use std::time::Duration;

use safeclaw_skill::http::Request;
use safeclaw_skill::{Call, SkillError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use kind::Kind;
use library::charset;
use links::Link;
use readable::Page;

/// How much of a page is looked at, in bytes, as it comes and as it unpacks: 2 MiB.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// The longest text that is handed on, in characters.
const MAX_CHARS: usize = 20_000;

/// The longest title, in characters.
const MAX_TITLE: usize = 300;

/// Less than the manifest's, so that a slow page is told by name.
const TIMEOUT: Duration = Duration::from_secs(12);

/// What it is called with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    url: String,
}

/// What it answers.
#[derive(Debug, Serialize)]
struct Fetched {
    /// Where the page was in the end.
    url: String,
    status: u16,
    title: String,
    /// Where the text leads; before the text, of which a model may see only the beginning.
    links: Vec<Link>,
    content: String,
    /// Whether the page has more than `content`.
    truncated: bool,
}

pub(crate) fn run(params: Params, call: &Call) -> Result<Value, SkillError> {
    let request = Request::get(address(&params.url))
        .header("Accept", "text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1")
        .header("Accept-Encoding", "gzip, deflate")
        .follow_redirects()
        .timeout(TIMEOUT);
    if call.is_dry_run() {
        return Ok(request.would_send());
    }
    let response = call.http().send(&request)?.ok()?;
    let kind = Kind::of(response.header("content-type"))?;
    let label = kind::charset(response.header("content-type"));
    let encoding = response.header("content-encoding").unwrap_or_default().to_owned();
    let (url, status) = (response.url().clone(), response.status());
    let body = unpack::unpack(response.prefix(MAX_BYTES)?, &encoding, MAX_BYTES)?;
    let text = charset::decode(&body.bytes, label.as_deref());
    if text.contains('\0') {
        return Err(SkillError::new("this is no text: it has NUL characters"));
    }
    let Page { title, content, links } = readable::page(text, kind, &url);
    let (title, _) = bounded(&title, MAX_TITLE);
    let (content, longer) = bounded(&content, MAX_CHARS);
    let truncated = longer || body.cut;
    Ok(serde_json::to_value(Fetched { url: url.into(), status, title, links, content, truncated })?)
}

/// The address as people write it may lack its beginning.
fn address(text: &str) -> String {
    let text = text.trim();
    if text.contains("://") { text.to_owned() } else { format!("https://{text}") }
}

/// At most `limit` characters of `text`, and whether there were more.
fn bounded(text: &str, limit: usize) -> (String, bool) {
    match text.char_indices().nth(limit) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
mod tests;
