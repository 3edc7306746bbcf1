//! Where a server is, and with which key it is asked.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::address::is_near;
use crate::framing::Framing;
use crate::{ApiKeys, ModelError, ProviderName, Way};

/// Where a server is and whom one expects there.
pub(crate) struct Place {
    /// Whose API is spoken.
    pub(crate) provider: ProviderName,
    /// Host and port, for people.
    pub(crate) address: String,
    /// What paths are added to; ends with a slash.
    pub(crate) url: Url,
    /// Who is expected there, such as `Ollama`.
    pub(crate) expected: &'static str,
    /// What goes with each request.
    pub(crate) headers: HeaderMap,
    /// How a stream is cut into frames.
    pub(crate) framing: Framing,
    /// How it is asked first if nobody says how.
    pub(crate) way: Way,
    /// Who says how large the window is.
    pub(crate) sized: SizedBy,
    /// Whether its models can see pictures, where nobody says.
    pub(crate) sees: bool,
    pub(super) key: Option<SecretString>,
    /// The variable that holds the key, or would.
    pub(super) variable: String,
}

/// Who says how large the window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizedBy {
    /// Whoever asks, in each request.
    Asker,
    /// The server.
    Server,
}

impl Place {
    /// A server at `url` that needs no key.
    pub(super) fn new(provider: ProviderName, expected: &'static str, url: Url) -> Self {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        Self {
            provider,
            address: format!("{}{port}", url.host_str().unwrap_or_default()),
            url,
            expected,
            headers: HeaderMap::new(),
            framing: Framing::Events,
            way: Way::Json,
            sized: SizedBy::Server,
            sees: false,
            key: None,
            variable: String::new(),
        }
    }

    /// The same with the key for it, if there is one, in the header `name`, where `form` is what stands before it.
    ///
    /// # Errors
    /// [`ModelError::Settings`] if it can't be sent, or would be sent for everybody on the way to read.
    pub(super) fn with_key(
        mut self,
        keys: &ApiKeys,
        name: &'static str,
        form: &str,
    ) -> Result<Self, ModelError> {
        let (variable, key) = keys.of(self.provider, &self.url);
        self.variable.clone_from(&variable);
        let Some(key) = key else { return Ok(self) };
        let address = &self.address;
        if self.url.scheme() == "http" && !self.is_local() {
            return Err(ModelError::Settings(format!(
                "the key in {variable} would travel to {address} unencrypted; write https:// in the address"
            )));
        }
        let mut value =
            HeaderValue::try_from(format!("{form}{}", key.expose_secret())).map_err(|_| {
                ModelError::Settings(format!(
                    "the key in {variable} holds what no header can hold; copy it again"
                ))
            })?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        self.key = Some(key.clone());
        Ok(self)
    }

    /// Refuses to go on without a key.
    ///
    /// # Errors
    /// [`ModelError::Settings`] says which variable to set.
    pub(super) fn demand_key(self) -> Result<Self, ModelError> {
        if self.key.is_some() {
            return Ok(self);
        }
        let (expected, variable) = (self.expected, &self.variable);
        Err(ModelError::Settings(format!(
            "{expected} wants a key; write {variable}=... into .env in the home, or set it in the environment"
        )))
    }

    /// Whether it is on this machine or in its own network, where no proxy leads to and no cloud is.
    pub(crate) fn is_local(&self) -> bool {
        is_near(&self.url)
    }
}

/// The address of a server of `provider`: `given`, or its own.
///
/// # Errors
/// [`ModelError::Settings`] if `given` is no URL.
pub(super) fn base(given: Option<&str>, own: &str) -> Result<Url, ModelError> {
    let text = given.unwrap_or(own).trim();
    let text = if text.ends_with('/') { text.to_owned() } else { format!("{text}/") };
    let url = Url::parse(&text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        // What stands before an `@` may be a password.
        let shown = text.rsplit('@').next().unwrap_or_default();
        ModelError::Settings(format!(
            "{shown:?} is no address of a server; write one like http://127.0.0.1:8080/v1"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_and_what_is_not() {
        let is_local = |host: &str| {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            Place::new(ProviderName::OpenAi, "x", url).is_local()
        };
        for near in [
            "127.0.0.1:1",
            "10.1.2.3",
            "192.168.0.9",
            "169.254.1.1",
            "[::1]",
            "[fd00::1]",
            "[fe80::1]",
        ] {
            assert!(is_local(near), "{near}");
        }
        for near in ["localhost", "ollama", "nas.local", "nas.lan", "llm.internal"] {
            assert!(is_local(near), "{near}");
        }
        for far in [
            "api.openai.com",
            "8.8.8.8",
            "172.32.0.1",
            "[2001:db8::1]",
            "example.com",
            "local.example.com",
        ] {
            assert!(!is_local(far), "{far}");
        }
    }
}
