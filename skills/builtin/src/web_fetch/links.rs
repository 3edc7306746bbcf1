//! The links of a page, for a reader who may want to follow one.

use std::collections::HashSet;

use html_escape::decode_html_entities;
use library::tags::{Token, attributes, one_line, tokens};
use serde::Serialize;
use url::Url;

/// How many links are handed on: more than a small model chooses from, and little of what it can hold.
const MAX_LINKS: usize = 16;

/// How much of a link's words is handed on, in characters.
const MAX_WORDS: usize = 60;

/// The longest address that is handed on, in bytes: what WEB_FETCH itself takes.
const MAX_ADDRESS: usize = 2_048;

/// Words of a page that lead elsewhere.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Link {
    text: String,
    url: String,
}

/// The first links of `html` with words, each address once. Those that only move within the page at `base` are
/// left out.
pub(super) fn links(html: &str, base: &Url) -> Vec<Link> {
    let mut seen = HashSet::from([without_fragment(base.clone())]);
    let mut found = Vec::new();
    let mut base = base.clone();
    let mut open: Option<(Url, String)> = None;
    for token in tokens(html) {
        match token {
            Token::Open { name, inside, .. } if name == "base" => {
                base = href(inside).and_then(|href| base.join(&href).ok()).unwrap_or(base);
            }
            Token::Open { name, inside, .. } if name == "a" => {
                open = href(inside)
                    .and_then(|href| base.join(&href).ok())
                    .map(|to| (to, String::new()));
            }
            Token::Text(text) => {
                if let Some((_, words)) = &mut open {
                    words.push_str(&decode_html_entities(text));
                }
            }
            Token::Close { name } if name == "a" => {
                let link = open.take().and_then(|(to, words)| link(to, &words));
                found.extend(link.filter(|link| seen.insert(link.url.clone())));
                if found.len() == MAX_LINKS {
                    break;
                }
            }
            Token::Open { .. } | Token::Close { .. } => {}
        }
    }
    found
}

fn link(to: Url, words: &str) -> Option<Link> {
    let text: String = one_line(words).chars().take(MAX_WORDS).collect();
    let url = without_fragment(to);
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    (is_web && !text.is_empty() && url.len() <= MAX_ADDRESS).then_some(Link { text, url })
}

fn without_fragment(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

/// The value of the attribute `href` of a tag with this `inside`.
fn href(inside: &str) -> Option<String> {
    let (_, value) = attributes(inside).into_iter().find(|(name, _)| name == "href")?;
    Some(decode_html_entities(value.trim()).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(html: &str) -> Vec<(String, String)> {
        let base = Url::parse("https://a.example/dir/page").unwrap();
        links(html, &base).into_iter().map(|link| (link.text, link.url)).collect()
    }

    #[test]
    fn links_are_found_as_a_browser_resolves_them() {
        for (html, text, url) in [
            ("<a href=next>Next</a>", "Next", "https://a.example/dir/next"),
            (
                "<A class='x y' HREF = '/top?a=1&amp;b=2#x'>a <b>bold</b>\n one</A>",
                "a bold one",
                "https://a.example/top?a=1&b=2",
            ),
            (
                "<a title=\"href='no'\" href=\"//b.example\">b &amp; c</a>",
                "b & c",
                "https://b.example/",
            ),
            ("<base href='https://c.example/x/'><a href=y>y</a>", "y", "https://c.example/x/y"),
            ("<a\nhref='é'>é", "", ""),
        ] {
            let expected =
                if url.is_empty() { vec![] } else { vec![(text.to_owned(), url.to_owned())] };
            assert_eq!(found(html), expected, "{html}");
        }
    }

    #[test]
    fn what_leads_nowhere_else_is_left_out() {
        for html in [
            "<a href='#part'>here</a>",
            "<a href='mailto:x@a.example'>mail</a>",
            "<a href='javascript:alert(1)'>run</a>",
            "<a href='data:text/html,x'>data</a>",
            "<a href='https://b.example'> </a>",
            "<a name=x>no link</a>",
            "<!-- <a href=x>x</a> --><script><a href=x>x</a></script>",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
        assert_eq!(found(&"<a href=x>x</a><a href='x#y'>y</a>".repeat(3)).len(), 1);
        let many: String = (0..100).map(|n| format!("<a href={n}>{n}</a>")).collect();
        assert_eq!(found(&many).len(), MAX_LINKS);
    }

    proptest! {
        #[test]
        fn never_panics(tag in "[a-hrefé=\"'/ >]{0,40}") {
            let _ = (href(&tag), found(&format!("<a {tag}>x</a>")));
        }
    }
}
