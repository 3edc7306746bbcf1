//! Where Ollama is, written as Ollama's own `OLLAMA_HOST`.

use std::fmt;

use url::Url;

/// Ollama's own port.
const PORT: u16 = 11_434;

/// The address of an Ollama server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host(Url);

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} is no address of an Ollama server: {why}; write 127.0.0.1:11434 or http://host:port"
)]
pub struct HostError {
    given: String,
    why: String,
}

impl Host {
    /// Reads `host`, `host:port`, `:port`, `[v6]:port` or a URL. Nothing means this machine; without a
    /// port it is 11434, in a URL 80 or 443, as in Ollama's envconfig. The address of all interfaces,
    /// on which servers listen, means this machine.
    ///
    /// # Errors
    /// [`HostError`] says what was expected.
    pub fn new(text: &str) -> Result<Self, HostError> {
        let text = text.trim();
        let failed =
            |why: &dyn fmt::Display| HostError { given: redacted(text), why: why.to_string() };
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        if !matches!(scheme, "http" | "https") {
            return Err(failed(&"only http and https are spoken"));
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let authority = match authority {
            "" => "127.0.0.1".to_owned(),
            v6 if v6.parse::<std::net::Ipv6Addr>().is_ok() => format!("[{v6}]"),
            port if port.starts_with(':') => format!("127.0.0.1{port}"),
            other => other.to_owned(),
        };
        let path = if path.is_empty() || path.ends_with('/') { path } else { &format!("{path}/") };
        let mut url = Url::parse(&format!("{scheme}://{authority}/{path}"))
            .map_err(|error| failed(&error))?;
        // `:80` is the scheme's own port, which the URL leaves out; it was written all the same.
        if !text.contains("://") && url.port().is_none() && !authority.ends_with(":80") {
            url.set_port(Some(PORT)).map_err(|()| failed(&"it can't have a port"))?;
        }
        if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
            url.set_host(Some("127.0.0.1")).map_err(|error| failed(&error))?;
        }
        Ok(Self(url))
    }

    /// The server's URL, with a slash at its end.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.0
    }
}

/// What stands before an `@` may be a password.
fn redacted(text: &str) -> String {
    text.rsplit('@').next().unwrap_or_default().chars().take(120).collect()
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.0.port_or_known_default().unwrap_or(PORT);
        write!(f, "{}:{port}", self.0.host_str().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_ollama_reads_them() {
        for (text, url) in [
            ("", "http://127.0.0.1:11434/"),
            ("  example.com ", "http://example.com:11434/"),
            ("example.com:1234", "http://example.com:1234/"),
            ("example.com:80", "http://example.com/"),
            (":1234", "http://127.0.0.1:1234/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("[::]:1234", "http://127.0.0.1:1234/"),
            ("::1", "http://[::1]:11434/"),
            ("[::1]:1234", "http://[::1]:1234/"),
            ("http://example.com", "http://example.com/"),
            ("https://example.com", "https://example.com/"),
            ("https://example.com:1234/ollama", "https://example.com:1234/ollama/"),
            ("example.com/ollama/", "http://example.com:11434/ollama/"),
        ] {
            assert_eq!(Host::new(text).unwrap().url().as_str(), url, "{text:?}");
        }
        assert_eq!(Host::new("").unwrap().to_string(), "127.0.0.1:11434");
        assert_eq!(Host::new("https://example.com").unwrap().to_string(), "example.com:443");
    }

    #[test]
    fn what_is_no_address_is_said_without_its_password() {
        for text in ["ftp://x", "x:99999", "a b", "http://user:hunter2@:1"] {
            let error = Host::new(text).unwrap_err().to_string();
            assert!(
                error.contains("write 127.0.0.1:11434") && !error.contains("hunter2"),
                "{error}"
            );
        }
    }
}
