//! The names under which the channel is reached, and what a browser says of where a request comes from.

use std::net::SocketAddr;

use axum::http::{HeaderMap, header};
use loopback::header_text;
use settings::Site;

use super::refusal::Refusal;

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
        let host = header_text(headers, header::HOST.as_str()).and_then(|host| self.named(host));
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
}
