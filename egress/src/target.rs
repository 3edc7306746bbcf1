//! A URL that is asked for, parsed once.

use std::fmt;
use std::str::FromStr;

use url::Url;

use crate::endpoint::{Endpoint, Host};
use crate::target_error::{TargetError, beginning};

/// The two schemes that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain text.
    Http,
    /// Over TLS.
    Https,
}

impl Scheme {
    /// The port that goes without saying: 80 or 443.
    #[must_use]
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Scheme, host and port: what a secret belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// How it is spoken to.
    pub scheme: Scheme,
    /// Where it is.
    pub endpoint: Endpoint,
}

impl Origin {
    /// Host and port as they stand in a Host header: the port is left out where it goes without saying.
    #[must_use]
    pub fn authority(&self) -> String {
        let Endpoint { host, port } = &self.endpoint;
        if *port == self.scheme.default_port() {
            host.to_string()
        } else {
            format!("{host}:{port}")
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.authority())
    }
}

/// A URL that is asked for: an origin, and what is wanted there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    origin: Origin,
    path: String,
}

impl Target {
    /// The origin of the URL.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The URL's path and query, which starts with `/` and holds ASCII alone.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl FromStr for Target {
    type Err = TargetError;

    /// Parses a URL as the WHATWG standard says: http and https only, without a user name or a password.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let url = Url::parse(text).map_err(|_| TargetError::not_url(text))?;
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(TargetError::Scheme { shown: beginning(other) }),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Userinfo);
        }
        let host = Host::from_url(url.host().ok_or_else(|| TargetError::host(text))?)?;
        let port = url.port().unwrap_or(scheme.default_port());
        if port == 0 {
            return Err(TargetError::port(text));
        }
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        Ok(Self { origin: Origin { scheme, endpoint: Endpoint { host, port } }, path })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn origin(text: &str) -> Result<String, TargetError> {
        text.parse::<Target>().map(|target| target.origin().to_string())
    }

    #[test]
    fn a_url_has_one_origin_however_it_is_spelled() {
        for (text, wanted) in [
            ("http://example.com", "http://example.com"),
            ("HTTP://EXAMPLE.COM.:80/a", "http://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("https://example.com:80", "https://example.com:80"),
            ("http://0x7f.1:8080/", "http://127.0.0.1:8080"),
            ("http://[::ffff:a9fe:a9fe]/latest/meta-data", "http://169.254.169.254"),
            ("http:\\\\127.1\\x", "http://127.0.0.1"),
            ("http:///127.0.0.1/", "http://127.0.0.1"),
            ("http://127.0.0.1\\@example.com/", "http://127.0.0.1"),
            ("http://example.com\t/", "http://example.com"),
            ("http://127.0.0.1#@example.com/", "http://127.0.0.1"),
        ] {
            assert_eq!(origin(text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn path_and_query_survive_and_the_fragment_does_not() {
        let target: Target = "https://a.b/c/../d e?x=é&y#z".parse().unwrap();
        assert_eq!(target.path(), "/d%20e?x=%C3%A9&y");
        assert_eq!("http://a.b".parse::<Target>().unwrap().path(), "/");
    }

    #[test]
    fn what_is_no_http_url_says_why() {
        let list = [
            ("", "\"\" is no absolute URL: write it as https://host/path"),
            ("/etc/passwd", "\"/etc/passwd\" is no absolute URL: write it as https://host/path"),
            ("file:///etc/passwd", "file: is not reached: only http: and https: are"),
            ("ftp://a.b/", "ftp: is not reached: only http: and https: are"),
            ("gopher://a.b/", "gopher: is not reached: only http: and https: are"),
            ("javascript:alert(1)", "javascript: is not reached: only http: and https: are"),
            ("ws://a.b/", "ws: is not reached: only http: and https: are"),
            (
                "http://me:hunter2@a.b/",
                "a URL with a user name or a password in it is not reached: leave them out",
            ),
        ];
        for (text, wanted) in list {
            assert_eq!(origin(text).unwrap_err().to_string(), wanted, "{text}");
        }
        assert!(matches!(origin("http://a.b@127.0.0.1/"), Err(TargetError::Userinfo)));
        assert!(matches!(origin("http://:x@127.0.0.1/"), Err(TargetError::Userinfo)));
        assert!(matches!(origin("http://a.b:0/"), Err(TargetError::Port { .. })));
        assert!(matches!(origin("http://*.x.com/"), Err(TargetError::Host { .. })));
    }

    proptest! {
        #[test]
        fn any_text_is_a_target_or_an_error(text in "(https?:)?[/\\\\]{0,3}\\PC{0,60}") {
            if let Ok(target) = text.parse::<Target>() {
                prop_assert!(target.path().starts_with('/') && target.path().is_ascii());
                let again: Target = format!("{}{}", target.origin(), target.path()).parse().unwrap();
                prop_assert_eq!(again, target);
            }
        }
    }
}
