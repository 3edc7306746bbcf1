//! Opens the page, and tells a page from all that is none.

use std::time::Duration;

use fantoccini::error::CmdError;
use serde::Deserialize;
use serde_json::json;

use super::tab::Tab;
use super::trouble;
use crate::look::{Look, LookError};

/// The most that the driver waits for a page to be loaded. What is there then is looked at.
const MOST_LOADING: Duration = Duration::from_secs(15);
/// The most that the driver waits later, when the page loads something again.
const MOST_LOADING_AGAIN: Duration = Duration::from_secs(8);

/// Where the page stands.
#[derive(Debug, Deserialize)]
pub(super) struct Here {
    /// Its address, which its scripts may have changed within its own site.
    pub(super) url: String,
    /// The status of HTTP with which it came.
    pub(super) status: Option<u16>,
    /// Its kind: `text/html`.
    kind: String,
    /// For the browser's own page of an error: the error's name, or nothing.
    error: Option<String>,
}

/// Opens the page and waits until it has loaded, at most for half of what is left.
///
/// # Errors
/// [`LookError::Page`] with the reason when there is no page, [`LookError::Slow`], [`LookError::Browser`].
pub(super) async fn open(
    tab: &Tab<'_>,
    look: &Look,
    remarks: &mut Vec<String>,
) -> Result<Here, LookError> {
    let before = tab.document().await?;
    tab.wait_for_loads((tab.clock.left() / 2).min(MOST_LOADING)).await?;
    let complete = go(tab, look).await?;
    tab.wait_for_loads((tab.clock.left() / 4).min(MOST_LOADING_AGAIN)).await?;
    let after = tab.document().await?;
    if after.loader_id == before.loader_id {
        return Err(nothing_came(tab, look, complete).await);
    }
    let here = look_around(tab).await?;
    if here.kind == "application/pdf" {
        return Err(tab.clock.no_page(A_FILE));
    }
    if !complete {
        remarks.push("the page never finished loading; this is what was there".to_owned());
    }
    if let Some(status) = here.status.filter(|status| *status >= 400) {
        let meaning = trouble::status(status);
        remarks.push(format!("the server answered with an error: {status}, {meaning}"));
    }
    Ok(here)
}

/// What is said of an address behind which no page is.
const A_FILE: &str = "this is a file to download, not a page; files are not downloaded here";

/// Where the page stands now. The browser's own page of an error is no page.
///
/// # Errors
/// [`LookError::Page`] for a page of an error, [`LookError::Slow`], [`LookError::Browser`].
pub(super) async fn look_around(tab: &Tab<'_>) -> Result<Here, LookError> {
    let here: Here = tab.run(include_str!("scripts/look_around.js"), &json!({})).await?;
    let Some(error) = &here.error else { return Ok(here) };
    Err(match (here.status, error.as_str()) {
        (Some(401), _) => tab.clock.no_page(trouble::NAME_AND_PASSWORD),
        (Some(status), _) if status >= 400 => {
            let meaning = trouble::status(status);
            tab.clock.no_page(format!("the server answered {status} and no page: {meaning}"))
        }
        (_, "") => tab.clock.no_page("the browser could not load it"),
        (_, error) => tab.clock.no_page(trouble::meaning(error)),
    })
}

/// Sends the browser there. Whether the page was loaded in time.
async fn go(tab: &Tab<'_>, look: &Look) -> Result<bool, LookError> {
    match tab.clock.within(tab.client.goto(look.url.as_str())).await? {
        Ok(()) => Ok(true),
        Err(CmdError::Standard(error)) if trouble::is_timeout(&error) => Ok(false),
        Err(CmdError::Standard(error)) if trouble::is_dialog(&error) => Ok(true),
        Err(error) => Err(match trouble::net_error(&error.to_string()) {
            Some(name) => tab.clock.no_page(trouble::meaning(name)),
            None => trouble::failed(&error),
        }),
    }
}

/// The browser is where it was before: nothing came, or what came is no page. It is asked once more by the
/// command that says which.
async fn nothing_came(tab: &Tab<'_>, look: &Look, complete: bool) -> LookError {
    if !complete {
        return tab.clock.no_page("the server does not answer; try again later");
    }
    let again = tab.command("Page.navigate", json!({ "url": look.url.as_str() })).await;
    match again {
        Ok(answer) if answer["isDownload"] == true => tab.clock.no_page(A_FILE),
        Ok(_) => tab.clock.no_page("the server answered without a page"),
        Err(error) => error,
    }
}
