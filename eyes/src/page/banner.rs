//! Dismisses a banner that asks for consent to cookies: what it may click is said in `scripts/banner.js`.

use serde::Deserialize;
use url::Url;

use super::tab::Tab;
use super::{frames, open, phrases, settle, trouble};
use crate::look::{Look, LookError};

/// How many banners are dismissed: some ask a second time.
const ROUNDS: usize = 2;

/// What was found.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    /// What was clicked: `reject`, `necessary`, `close` or `accept`.
    pub(super) clicked: Option<String>,
    /// Where the frames of other sites stand that lie over the page.
    #[serde(default)]
    pub(super) frames: Vec<u16>,
}

/// Dismisses banners, and waits until the page has come to rest again.
///
/// # Errors
/// Those of [`Tab::run`].
pub(super) async fn dismiss(
    tab: &Tab<'_>,
    look: &Look,
    remarks: &mut Vec<String>,
) -> Result<(), LookError> {
    for round in 0..ROUNDS {
        let before = open::look_around(tab).await?.url;
        let Some(kind) = click(tab).await? else { return Ok(()) };
        settle::settle(tab, remarks).await?;
        if round == 0 {
            remarks.push(format!("a cookie banner was dismissed ({})", said(&kind)));
        }
        let after = open::look_around(tab).await?.url;
        if leads_away(&before, &after, look) {
            go_back(tab, remarks).await?;
            return Ok(());
        }
    }
    Ok(())
}

/// Clicks the way out of a banner, here or in a frame of another site. What was clicked.
async fn click(tab: &Tab<'_>) -> Result<Option<String>, LookError> {
    let found: Found = tab.run(SCRIPT, &phrases::args(false)).await?;
    match found.clicked {
        Some(kind) => Ok(Some(kind)),
        None => frames::click(tab, &found.frames).await,
    }
}

/// The script that finds and clicks.
pub(super) const SCRIPT: &str = include_str!("scripts/banner.js");

async fn go_back(tab: &Tab<'_>, remarks: &mut Vec<String>) -> Result<(), LookError> {
    let went = tab.clock.within(tab.client.back()).await?;
    went.map_err(|error| trouble::failed(&error))?;
    settle::settle(tab, remarks).await?;
    remarks.push("its button led to another page; the first one is shown".to_owned());
    Ok(())
}

/// Whether a click led to another page. The way home from a page of consent is none: a site may send its
/// visitors to one first (consent.google.com).
fn leads_away(before: &str, after: &str, look: &Look) -> bool {
    let page = |address: &str| {
        let mut url = Url::parse(address).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    let (before, after) = (page(before), page(after));
    if before == after {
        return false;
    }
    let site = |url: &Option<Url>| url.as_ref().map(Url::origin);
    let was_elsewhere = site(&before) != Some(look.url.origin());
    !(was_elsewhere && site(&after) == Some(look.url.origin()))
}

fn said(kind: &str) -> &'static str {
    match kind {
        "reject" => "everything was rejected",
        "necessary" => "only what is necessary was allowed",
        "close" => "it was closed",
        _ => "it was accepted, for there was no other way",
    }
}
