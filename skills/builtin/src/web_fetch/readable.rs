//! Finds the part of a page that a person would read.

use dom_smoothie::{Config, Readability, TextMode};

use super::{Kind, outline};

/// More elements than any page that people read has.
const MAX_ELEMENTS: usize = 30_000;

/// Deeper than any page that people read is nested. An HTML parser takes time with the square of the depth,
/// and what walks its tree takes stack.
const MAX_DEPTH: usize = 256;

/// A page as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) content: String,
}

/// The title and the text of a page; whatever is not HTML is its own content.
pub(super) fn page(text: String, kind: Kind) -> Page {
    let is_html = match kind {
        Kind::Html => true,
        Kind::Plain => false,
        Kind::Unsaid => text.trim_start().starts_with('<'),
    };
    if !is_html {
        return Page { title: String::new(), content: text };
    }
    let content = article(&text).unwrap_or_else(|| outline::text(&text));
    Page { title: outline::title(&text), content }
}

/// The main part of an HTML page; none when it has no such part or is too large or too deep to look for it.
fn article(html: &str) -> Option<String> {
    if outline::depth(html) > MAX_DEPTH {
        return None;
    }
    let config = Config {
        max_elements_to_parse: MAX_ELEMENTS,
        text_mode: TextMode::Formatted,
        ..Config::default()
    };
    let article =
        Readability::new(html, None, Some(config)).and_then(|mut page| page.parse()).ok()?;
    let text = article.text_content.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
