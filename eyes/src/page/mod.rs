//! What is done with a page once a browser has it.

use fantoccini::Client;
use fantoccini::error::CmdError;
use serde_json::Value;

use crate::look::{Look, LookError, Seen};

/// What a page says of itself.
const READ: &str = "return {
    url: location.href,
    status: (performance.getEntriesByType('navigation')[0] || {}).responseStatus || null,
    title: document.title,
    language: document.documentElement.lang || null,
    text: document.body ? document.body.innerText : '',
    html: document.documentElement.outerHTML,
};";

/// Opens a page in a browser's fresh session and tells what is seen.
pub(crate) async fn look(client: &Client, look: &Look) -> Result<Seen, LookError> {
    let failed = |error: CmdError| LookError::Page(look.url.to_string(), error.to_string());
    client.goto(look.url.as_str()).await.map_err(failed)?;
    let seen = client.execute(READ, Vec::new()).await.map_err(failed)?;
    let picture = client.screenshot().await.map_err(failed)?;
    let text = |name: &str| seen.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Seen {
        url: text("url"),
        status: seen
            .get("status")
            .and_then(Value::as_u64)
            .and_then(|status| status.try_into().ok()),
        title: text("title"),
        language: Some(text("language")).filter(|language| !language.is_empty()),
        text: text("text"),
        html: text("html"),
        picture,
        remarks: Vec::new(),
    })
}
