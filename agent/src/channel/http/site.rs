//! The names under which the channel is reached, and what a browser says of where a request comes from.

use std::net::SocketAddr;

use axum::http::{HeaderMap, Method, header};

use super::refusal::Refusal;
use crate::config::Site;

/// The header in which browsers say where a request comes from (W3C Fetch Metadata).
const FETCH_SITE: &str = "sec-fetch-site";

/// All sites that are this channel's.
#[derive(Debug)]
pub(super) struct Sites {
    /// Where the channel listens.
    here: SocketAddr,
    /// What the owner has set, such as the name that a proxy of the owner's serves it under.
    more: Vec<Site>,
}

impl Sites {
    pub(super) fn new(here: SocketAddr, more: Vec<Site>) -> Self {
        Self { here, more }
    }

    /// The site that a request was sent to.
    ///
    /// # Errors
    /// [`Refusal::Foreign`] when it came under another name, or from a page of another site.
    pub(super) fn of(&self, headers: &HeaderMap) -> Result<Site, Refusal> {
        // A name that somebody's DNS turns into 127.0.0.1 is the name of a foreign site.
        let host = text(headers, header::HOST.as_str()).and_then(|host| self.named(host));
        let Some(site) = host else {
            return Err(Refusal::Foreign("the Host header names another machine"));
        };
        if let Some(origin) = headers.get(header::ORIGIN)
            && origin.as_bytes() != site.as_str().as_bytes()
        {
            return Err(Refusal::Foreign("pages of other sites are not served"));
        }
        Ok(site)
    }

    fn named(&self, host: &str) -> Option<Site> {
        let port = self.here.port();
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let is_here = self.here.to_string() == host
            || names.iter().any(|name| format!("{name}:{port}") == host);
        if is_here {
            return Site::at(host);
        }
        self.more.iter().find(|site| site.authority() == host).cloned()
    }
}

/// Whether a request that shows a cookie was made by the page itself: a browser sends the cookie with whatever any page asks for.
pub(super) fn is_of_the_page(method: &Method, headers: &HeaderMap) -> bool {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    // An Origin that is there was compared already. Browsers send one with whatever changes something.
    let has_origin = headers.contains_key(header::ORIGIN);
    match text(headers, FETCH_SITE) {
        Some("same-origin") => is_read || has_origin,
        Some("none") => is_read,
        Some(_) => false,
        // Old browsers do not send it.
        None => is_read || has_origin,
    }
}

/// Whether a request for what everybody may see was made by the page, or opens it in a window of its own.
pub(super) fn may_open(method: &Method, headers: &HeaderMap) -> bool {
    is_of_the_page(method, headers)
        || (matches!(*method, Method::GET | Method::HEAD)
            && text(headers, "sec-fetch-mode") == Some("navigate")
            && text(headers, "sec-fetch-dest") == Some("document"))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let name = |name: &str| axum::http::HeaderName::try_from(name).unwrap();
        pairs.iter().map(|(key, value)| (name(key), value.parse().unwrap())).collect()
    }

    fn site(pairs: &[(&str, &str)]) -> Option<String> {
        let more = vec![Site::try_from("https://laptop.example.ts.net".to_owned()).unwrap()];
        let sites = Sites::new(SocketAddr::from(([127, 0, 0, 1], 8787)), more);
        sites.of(&headers(pairs)).ok().map(|site| site.as_str().to_owned())
    }

    #[test]
    fn a_site_is_known_by_its_host_and_no_other_pages_are_served() {
        for (host, found) in [
            ("127.0.0.1:8787", Some("http://127.0.0.1:8787")),
            ("localhost:8787", Some("http://localhost:8787")),
            ("laptop.example.ts.net", Some("https://laptop.example.ts.net")),
            ("laptop.example.ts.net:8787", None),
            ("evil.example:8787", None),
            ("127.0.0.1", None),
        ] {
            assert_eq!(site(&[("host", host)]).as_deref(), found, "{host}");
        }
        let from = |origin| site(&[("host", "laptop.example.ts.net"), ("origin", origin)]);
        assert!(from("https://laptop.example.ts.net").is_some());
        for foreign in ["http://laptop.example.ts.net", "http://127.0.0.1:8787", "null"] {
            assert_eq!(from(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_cookie_counts_only_with_what_the_page_itself_asks() {
        let own = |method: Method, pairs: &[(&str, &str)]| is_of_the_page(&method, &headers(pairs));
        let origin = ("origin", "http://127.0.0.1:8787");
        let site = |value| (FETCH_SITE, value);
        assert!(own(Method::GET, &[site("same-origin")]) && own(Method::GET, &[]));
        assert!(own(Method::POST, &[site("same-origin"), origin]) && own(Method::POST, &[origin]));
        assert!(!own(Method::POST, &[]) && !own(Method::POST, &[site("none"), origin]));
        for foreign in ["same-site", "cross-site", "x"] {
            assert!(
                !own(Method::GET, &[site(foreign)]) && !own(Method::POST, &[site(foreign), origin])
            );
        }
    }

    #[test]
    fn a_link_elsewhere_opens_the_page_in_a_window_and_in_no_frame() {
        let opens = |dest| {
            let of = [
                (FETCH_SITE, "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", dest),
            ];
            may_open(&Method::GET, &headers(&of))
        };
        assert!(opens("document"));
        assert!(!opens("iframe") && !opens("embed"));
    }
}
