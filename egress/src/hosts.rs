//! The patterns by which hosts are declared.

use std::fmt;
use std::str::FromStr;

use crate::endpoint::{Endpoint, Host};
use crate::target::{Origin, Target};
use crate::target_error::TargetError;

/// The ports that a host without a port stands for: those of http and https.
const USUAL_PORTS: [u16; 2] = [80, 443];

/// What a manifest declares under `hosts`, or for a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostPattern {
    /// `*`: any host with a public address, on the ports 80 and 443.
    Any,
    /// Any host with a public address, on every port. No manifest can declare it.
    AnyPort,
    /// `api.example.com`: this host, on the ports 80 and 443.
    Host(Host),
    /// `api.example.com:8443`: this host, on this port alone.
    Endpoint(Endpoint),
    /// `https://social.example`: scheme, host and port of a URL that the owner has set.
    Origin(Origin),
}

impl HostPattern {
    /// Whether a request that speaks http or https to `origin` is meant.
    #[must_use]
    pub fn covers(&self, origin: &Origin) -> bool {
        match self {
            Self::Origin(declared) => declared == origin,
            _ => self.covers_endpoint(&origin.endpoint),
        }
    }

    /// Whether a tunnel to `endpoint` is meant. What is spoken inside a tunnel can't be seen, so the scheme
    /// of an origin does not count.
    #[must_use]
    pub fn covers_endpoint(&self, endpoint: &Endpoint) -> bool {
        let usual_port = USUAL_PORTS.contains(&endpoint.port);
        match self {
            Self::Any => usual_port,
            Self::AnyPort => true,
            Self::Host(host) => usual_port && *host == endpoint.host,
            Self::Endpoint(declared) => declared == endpoint,
            Self::Origin(declared) => declared.endpoint == *endpoint,
        }
    }
}

impl FromStr for HostPattern {
    type Err = PatternError;

    /// Reads one of the four forms. The path of a URL is ignored.
    fn from_str(text: &str) -> Result<Self, PatternError> {
        if text == "*" {
            return Ok(Self::Any);
        }
        if text.contains('*') {
            return Err(PatternError::Wildcard);
        }
        if text.contains("://") {
            return Ok(Self::Origin(text.parse::<Target>()?.origin().clone()));
        }
        Ok(match Endpoint::split(text)? {
            (host, None) => Self::Host(host),
            (host, Some(port)) => Self::Endpoint(Endpoint { host, port }),
        })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::AnyPort => f.write_str("*:*"),
            Self::Host(host) => host.fmt(f),
            Self::Endpoint(endpoint) => endpoint.fmt(f),
            Self::Origin(origin) => origin.fmt(f),
        }
    }
}

/// A text that declares no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A `*` beside other characters.
    #[error("a * stands alone, for any public host: write each host that is meant")]
    Wildcard,
    /// No host, or no port.
    #[error(transparent)]
    Target(#[from] TargetError),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> HostPattern {
        text.parse().unwrap()
    }

    fn origin(text: &str) -> Origin {
        text.parse::<Target>().unwrap().origin().clone()
    }

    #[test]
    fn a_pattern_covers_what_it_names_and_nothing_else() {
        let table = [
            (
                "*",
                "http://a.b https://a.b http://a.b:443 https://1.2.3.4",
                "http://a.b:8080 https://a.b:22",
            ),
            (
                "api.x.com",
                "https://api.x.com http://api.x.com https://API.x.com.",
                "https://x.com https://api.x.com:8443 https://api.x.com.evil.org https://evilapi.x.com \
                 https://a.api.x.com",
            ),
            ("api.x.com:8443", "https://api.x.com:8443 http://api.x.com:8443", "https://api.x.com"),
            (
                "https://m.example/api/v1",
                "https://m.example https://m.example:443/x",
                "http://m.example http://m.example:443 https://m.example:80 https://n.example",
            ),
            (
                "http://nas.local:5000",
                "http://nas.local:5000/x",
                "https://nas.local:5000 http://nas.local",
            ),
            ("[::1]:80", "http://[::1]", "http://[::2]"),
            ("0x7f.1", "http://127.0.0.1", "http://127.0.0.2"),
        ];
        for (text, covered, others) in table {
            for url in covered.split_whitespace() {
                assert!(pattern(text).covers(&origin(url)), "{text} covers {url}");
            }
            for url in others.split_whitespace() {
                assert!(!pattern(text).covers(&origin(url)), "{text} does not cover {url}");
            }
        }
    }

    #[test]
    fn a_tunnel_is_matched_by_host_and_port() {
        let covers = |text: &str, to: &str| pattern(text).covers_endpoint(&to.parse().unwrap());
        assert!(covers("https://m.example", "m.example:443"));
        assert!(!covers("https://m.example", "m.example:80"));
        assert!(covers("api.x.com", "api.x.com:443"));
        assert!(!covers("api.x.com", "api.x.com:22"));
        assert!(!covers("*", "a.b:22"));
    }

    #[test]
    fn what_declares_no_host_says_why() {
        assert_eq!("*.x.com".parse::<HostPattern>(), Err(PatternError::Wildcard));
        assert_eq!("*:8080".parse::<HostPattern>(), Err(PatternError::Wildcard));
        for text in
            ["", "a b", "a/b", "a:b", "a:99999", "ftp://a", "https://", "https://u@a", "{setting}"]
        {
            assert!(text.parse::<HostPattern>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_pattern_reads_back_as_itself(text in "(https?://)?[a-z0-9.:\\[\\]-]{1,20}(:[0-9]{1,5})?") {
            if let Ok(pattern) = text.parse::<HostPattern>() {
                prop_assert_eq!(pattern.to_string().parse::<HostPattern>().unwrap(), pattern);
            }
        }

        #[test]
        fn a_host_covers_no_other_name(a in "[a-z]{1,3}(\\.[a-z]{1,3}){0,2}", b in "[a-z]{1,3}(\\.[a-z]{1,3}){0,2}") {
            let covers = pattern(&a).covers(&origin(&format!("https://{b}")));
            prop_assert_eq!(covers, a == b);
        }
    }
}
