//! Finds the part of a page that a person would read.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use dom_smoothie::{Config, Readability, TextMode};
use url::Url;

use super::links::{Link, links};
use super::{Kind, outline};

/// Deeper than any page that people read is nested. An HTML parser takes time with the square of the depth,
/// and what walks its tree takes stack.
const MAX_DEPTH: usize = 256;

/// How long the article is looked for. Most pages take milliseconds, but a hostile one of 2 MiB can take
/// minutes, by its attributes or its character references.
const PATIENCE: Duration = Duration::from_secs(5);

/// A page as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) content: String,
    /// Of the part that a person would read, if there is one.
    pub(super) links: Vec<Link>,
}

/// The main part of an HTML page.
#[derive(Debug, PartialEq, Eq)]
struct Article {
    text: String,
    html: String,
}

/// What a person would read of the page at `url`; whatever is not HTML is its own content.
pub(super) fn page(text: String, kind: Kind, url: &Url) -> Page {
    let is_html = match kind {
        Kind::Html => true,
        Kind::Plain => false,
        Kind::Unsaid => text.trim_start().starts_with('<'),
    };
    if !is_html {
        return Page { title: String::new(), content: text, links: Vec::new() };
    }
    let title = outline::title(&text);
    let all = Article { text: outline::text(&text), html: text.clone() };
    let Article { text, html } = article(text, PATIENCE).unwrap_or(all);
    Page { title, content: text, links: links(&html, url) }
}

/// The main part of an HTML page; none when it has no such part, or is too deep or too slow to look for it.
fn article(html: String, patience: Duration) -> Option<Article> {
    if outline::depth(&html) > MAX_DEPTH {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    // When the patience ends, the thread is left behind: it ends with the process, after this one call.
    thread::Builder::new().spawn(move || sender.send(main_text(html))).ok()?;
    receiver.recv_timeout(patience).ok()?
}

fn main_text(html: String) -> Option<Article> {
    let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
    let article =
        Readability::new(html, None, Some(config)).and_then(|mut page| page.parse()).ok()?;
    let text = article.text_content.trim();
    (!text.is_empty()).then(|| Article { text: text.to_owned(), html: article.content.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_takes_too_long_is_given_up() {
        // A second of work for the library, and none of it is waited for.
        let html = "&amp;".repeat(20_000);
        assert_eq!(article(html.clone(), Duration::ZERO), None);
        assert_eq!(outline::text(&html), "&".repeat(20_000));
    }

    #[test]
    fn a_page_that_is_too_deep_is_not_even_tried() {
        let nested = |depth| format!("{}<p>A sentence, with commas.", "<div>".repeat(depth));
        assert!(article(nested(MAX_DEPTH), Duration::MAX).is_some());
        assert_eq!(article(nested(MAX_DEPTH + 1), Duration::MAX), None);
    }
}
