//! Where a server is, and the errors that name it.

use std::error::Error;
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

use super::refusal::{Refusal, Said};
use crate::config::ProviderName;
use crate::model::stream::Framing;
use crate::model::{ModelError, Way};

/// How much of what a server says is shown, in characters.
const SHOWN: usize = 120;

/// Where a server is and whom one expects there.
pub(in crate::model) struct Place {
    /// Whose API is spoken.
    pub(in crate::model) provider: ProviderName,
    /// Host and port, for people.
    pub(in crate::model) address: String,
    /// What paths are added to; ends with a slash.
    pub(in crate::model) url: Url,
    /// Who is expected there, such as `Ollama`.
    pub(in crate::model) expected: &'static str,
    /// What goes with each request.
    pub(in crate::model) headers: HeaderMap,
    /// How a stream is cut into frames.
    pub(in crate::model) framing: Framing,
    /// How it is asked first if nobody says how.
    pub(in crate::model) way: Way,
    /// Who says how large the window is.
    pub(in crate::model) sized: SizedBy,
    key: Option<SecretString>,
}

/// Who says how large the window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum SizedBy {
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
            key: None,
        }
    }

    /// The same with `key` in the header `name`, where `form` is what stands before it.
    ///
    /// # Errors
    /// [`ModelError::Settings`] if it can't be sent, or would be sent for everybody on the way to read.
    pub(super) fn with_key(
        mut self,
        key: Option<&SecretString>,
        name: &'static str,
        form: &str,
    ) -> Result<Self, ModelError> {
        let Some(key) = key else { return Ok(self) };
        let (variable, address) = (self.variable(), &self.address);
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
        let (expected, variable) = (self.expected, self.variable());
        Err(ModelError::Settings(format!(
            "{expected} wants a key; write {variable}=... into .env in the home, or set it in the environment"
        )))
    }

    /// The variable that holds the key.
    pub(in crate::model) fn variable(&self) -> &'static str {
        match self.provider {
            ProviderName::OpenAi => "OPENAI_API_KEY",
            ProviderName::Anthropic => "ANTHROPIC_API_KEY",
            ProviderName::Gemini => "GOOGLE_API_KEY",
            ProviderName::Ollama | ProviderName::Offline => "OLLAMA_HOST",
        }
    }

    /// Whether it is on this machine or in its own network, where no proxy leads to and no cloud is.
    pub(in crate::model) fn is_local(&self) -> bool {
        match self.url.host() {
            Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
            Some(Host::Ipv6(ip)) => {
                ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
            }
            // A name without a dot is one of this network, such as that of a container.
            Some(Host::Domain(name)) => {
                let ends = [".localhost", ".local", ".lan", ".internal", ".home.arpa"];
                !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
            }
            None => false,
        }
    }

    /// What a server said, on one line, short, and without the key.
    pub(in crate::model) fn tidy(&self, said: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(&said[..said.len().min(64 * SHOWN)]).into_owned();
        if let Some(key) = &self.key {
            text = text.replace(key.expose_secret(), "[the key]");
        }
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
    }

    /// What it is when a request fails before there is a status, or in the middle.
    pub(in crate::model) fn broken(&self, error: &reqwest::Error) -> ModelError {
        let (address, reason) = (self.address.clone(), self.tidy(deepest(error).as_bytes()));
        if !error.is_connect() {
            return ModelError::Transport { address, reason };
        }
        let mend = match self.provider {
            ProviderName::Ollama => "start it with `ollama serve`",
            _ if self.is_local() => "start the server there, or write the right address",
            _ => "see whether this machine reaches the internet, and HTTPS_PROXY if it needs one",
        };
        ModelError::Unreachable { address, reason, mend: mend.to_owned() }
    }

    /// What it is when nothing comes for so long.
    pub(in crate::model) fn silent(&self, waited: Duration) -> ModelError {
        let mend = match self.provider {
            ProviderName::Ollama => "see what it does with `ollama ps`",
            _ if self.is_local() => "see what it does in its log",
            _ => "ask again later, or name another in llm.fallback",
        };
        ModelError::Silent { address: self.address.clone(), waited, mend: mend.to_owned() }
    }

    /// What it is when the model is not there.
    pub(in crate::model) fn unknown_model(&self, model: &str) -> ModelError {
        let mend = match self.provider {
            ProviderName::Ollama => format!("fetch it with `ollama pull {model}`"),
            _ => "choose one that it has with `config llm`".to_owned(),
        };
        ModelError::UnknownModel { address: self.address.clone(), model: model.to_owned(), mend }
    }

    /// What it is when something else than such a server answers.
    pub(in crate::model) fn bad_frame(&self, frame: &[u8]) -> ModelError {
        ModelError::BadFrame {
            address: self.address.clone(),
            expected: self.expected.to_owned(),
            shown: self.tidy(frame),
        }
    }

    /// What it is when an answer has no end.
    pub(in crate::model) fn endless(&self, after: String) -> ModelError {
        ModelError::Endless { address: self.address.clone(), after }
    }

    /// What it is when the connection ends before the answer does.
    pub(in crate::model) fn cut(&self) -> ModelError {
        ModelError::Cut { address: self.address.clone() }
    }

    /// What it is when the server fails in the middle.
    pub(in crate::model) fn failed(&self, words: &str) -> ModelError {
        let words = self.words(words.as_bytes());
        ModelError::Server { address: self.address.clone(), words }
    }

    /// What it is when the server says this instead of an answer, and that means `refusal`.
    pub(in crate::model) fn refused(
        &self,
        model: &str,
        said: &Said,
        refusal: Refusal,
        retry_after: Option<Duration>,
    ) -> ModelError {
        let (address, status) = (self.address.clone(), said.status);
        let words = self.words(said.words.as_bytes());
        match refusal {
            Refusal::UnknownModel => self.unknown_model(model),
            Refusal::WrongKey if self.provider != ProviderName::Ollama => {
                let mend = format!(
                    "put the right one into {}, in .env or the environment",
                    self.variable()
                );
                ModelError::WrongKey { address, status, mend }
            }
            Refusal::Busy => ModelError::Busy { address, status, words, retry_after },
            Refusal::Overrun(_) => ModelError::Overrun { address, model: model.to_owned(), words },
            _ => ModelError::Status { address, status, words },
        }
    }

    fn words(&self, said: &[u8]) -> String {
        match self.tidy(said) {
            page if page.starts_with('<') => {
                format!("a web page, so this may not be {}", self.expected)
            }
            empty if empty.is_empty() => "no reason".to_owned(),
            words => words,
        }
    }
}

/// How long a server asks to wait: seconds or a date (RFC 9110, 10.2.3).
pub(in crate::model) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(reqwest::header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
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

/// The innermost reason, which is what the system said. It never shows the URL.
fn deepest(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "it can't be used".to_owned() };
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
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
