//! One look at one page, in a session of the browser that is open already.
//!
//! ```text
//!   open ──► settle ──► banner ──► settle ──► read ──► picture
//! ```
//!
//! What is asked of the page is asked in an isolated world ([`tab`]): it sees the same page as the page's own
//! scripts, and none of what they have changed in the language. So a page can't answer for us.

mod banner;
mod cdp;
mod clock;
mod frames;
mod open;
mod phrases;
mod picture;
mod read;
mod settle;
mod tab;
mod trouble;
mod windows;

#[cfg(test)]
mod tests;

use fantoccini::Client;
use tokio::time::timeout;

use crate::look::{Look, LookError, Seen};
use clock::Clock;
use tab::Tab;

/// Looks at a page in `client`'s window, which stays on that page. Dropping the future leaves nothing running
/// here; the browser may go on with what it was asked last.
///
/// # Errors
/// [`LookError::Page`], [`LookError::Slow`] or [`LookError::Browser`]. After any of them, and
/// where no picture could be made, the session must be given up: a page that keeps the browser busy keeps its session busy too, and then it can't even be
/// closed by asking, so its process has to be ended.
pub(crate) async fn look(client: &Client, look: &Look) -> Result<Seen, LookError> {
    let clock = Clock::start(look.url.as_str(), look.limit);
    let tab = Tab::take(client, clock).await?;
    let mut remarks = Vec::new();
    let opened = open::open(&tab, look, &mut remarks).await?;
    windows::close_others(&tab, &mut remarks).await?;
    settle::settle(&tab, &mut remarks).await?;
    banner::dismiss(&tab, look, &mut remarks).await?;
    let here = open::look_around(&tab).await?;
    let read = read::read(&tab, &mut remarks).await?;
    let (picture, glance) = pictures(&tab, &mut remarks).await;
    Ok(Seen {
        status: here.status.or(opened.status),
        url: here.url,
        title: read.title,
        language: read.language,
        text: read.text,
        html: read.html,
        picture,
        glance,
        remarks,
    })
}

/// The picture and the glance, as far as the page lets them be made. What was read counts without them, so there is time left
/// to tell it.
async fn pictures(tab: &Tab<'_>, remarks: &mut Vec<String>) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    let (mut picture, mut glance) = (None, None);
    let made = async {
        picture = Some(picture::take(tab, remarks).await?);
        glance = picture::glance(tab).await?;
        windows::close_others(tab, remarks).await
    };
    let longest = tab.clock.left() * 3 / 4;
    let made = timeout(longest, made).await.unwrap_or_else(|_| Err(tab.clock.over()));
    if let Err(error) = made {
        tracing::info!(%error, "a page was read, and its picture failed");
    }
    if picture.is_none() {
        remarks.push("no picture of the page could be made".to_owned());
    }
    (picture, glance)
}
