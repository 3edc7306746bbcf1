//! What is looked at, and what was seen.

use std::time::Duration;

use url::Url;

/// One page to look at.
#[derive(Debug, Clone)]
pub struct Look {
    /// Its address: http or https, checked before anything is opened.
    pub url: Url,
    /// How long it may take in all, the start of the browser left out.
    pub limit: Duration,
}

/// What was seen of a page. All texts are the page's own words: data, whatever they say.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Where the page was in the end.
    pub url: String,
    /// The status of HTTP, if the browser says it.
    pub status: Option<u16>,
    /// Its title, in one line.
    pub title: String,
    /// Its language, as it says itself: `de`, `zh-Hant`.
    pub language: Option<String>,
    /// The text that a person would read, at most 5 million characters; behind it, that of frames of other sites.
    pub text: String,
    /// The page as the browser had it after its scripts ran.
    pub html: String,
    /// The picture of the whole page, up to a height, as PNG; `None` where none could be made, which a remark says.
    pub picture: Option<Vec<u8>>,
    /// What is seen of it first, for models that see: JPEG of at most 1,000 pixels a side and 512 KiB.
    pub glance: Option<Vec<u8>>,
    /// What people should know of how it went: that a banner was dismissed, that the page never settled.
    pub remarks: Vec<String>,
}

/// Why a page was not seen. Each text says who can do what.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// The address is none that may be opened.
    #[error("{0} may not be opened: {1}")]
    Refused(String, String),
    /// There is no browser to look with.
    #[error("there is no browser: {0}")]
    NoBrowser(String),
    /// The browser, or its driver, failed.
    #[error("the browser failed: {0}")]
    Browser(String),
    /// The page itself could not be had.
    #[error("{0} can't be opened: {1}")]
    Page(String, String),
    /// The same, and no word of another machine came in: no name was found, or no connection came about.
    #[error("{0} can't be opened: {1}")]
    Unreached(String, String),
    /// It took too long.
    #[error("{_0} took more than {secs} s", secs = _1.as_secs())]
    Slow(String, Duration),
}
