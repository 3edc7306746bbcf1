//! Texts that are addresses, and the addresses that stand in a text.

use linkify::{Link, LinkFinder, LinkKind};
use url::{Url, form_urlencoded};

/// The addresses in `text`, also those that are percent-encoded, escaped as in JSON, or without a scheme. The bare name of a host is
/// none: many a file is called like one.
#[must_use]
pub fn mentioned(text: &str) -> Vec<String> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]).url_must_have_scheme(false);
    let (mut found, mut between, mut from) = (Vec::new(), Vec::new(), 0);
    for link in links(&finder, text) {
        between.push(&text[from..link.start()]);
        found.push(link.as_str().to_owned());
        from = link.end();
    }
    between.push(&text[from..]);
    for text in between {
        let text = text.replace("\\/", "/");
        for (key, value) in form_urlencoded::parse(text.as_bytes()) {
            let decoded = links(&finder, &key).chain(links(&finder, &value));
            found.extend(decoded.map(|link| link.as_str().to_owned()));
        }
    }
    found
}

fn links<'t>(finder: &'t LinkFinder, text: &'t str) -> impl Iterator<Item = Link<'t>> {
    let is_address =
        |link: &str| link.contains("://") || link.trim_end_matches('/').contains(['/', '?']);
    finder.links(text).filter(move |link| is_address(link.as_str()))
}

/// Whether a text can be read as an address at a host whose name has parts, however it is spelt.
#[must_use]
pub fn is_address(text: &str) -> bool {
    let host = address(text).and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| host.contains(['.', ':']))
}

/// Whether `text` is a link and nothing else.
#[must_use]
pub fn is_link(text: &str) -> bool {
    let text = text.trim();
    let has_scheme = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    !text.contains(char::is_whitespace) && (has_scheme("https://") || has_scheme("http://"))
}

/// An http(s) address. A text without a scheme is read as a person would mean it.
#[must_use]
pub fn address(text: &str) -> Option<Url> {
    let text = text.trim();
    let url = Url::parse(text).or_else(|_| Url::parse(&format!("https://{text}")));
    url.ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_however_it_is_written() {
        for (text, found) in [
            ("see https://a.example/x?y=%20z, please", "https://a.example/x?y=%20z"),
            ("a=b&url=https%3A%2F%2Fa.example%2F%3Fd%3D1", "https://a.example/?d=1"),
            (r#"{"url": "https:\/\/a.example\/x"}"#, "https://a.example/x"),
            ("keep a.example/x for later", "a.example/x"),
            ("/add?u=https://a.example/x", "https://a.example/x"),
        ] {
            assert_eq!(mentioned(text), [found], "{text}");
        }
        for text in ["README.md", "a.example", "anna@a.example", "and/or", "3.5/10", "src/main.rs"]
        {
            assert_eq!(mentioned(text), [""; 0], "{text}");
        }
    }
}
