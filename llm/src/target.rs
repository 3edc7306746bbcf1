//! Whom to ask: a model of a provider, perhaps at an address of its own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::address::{is_openai, is_this_machine};

/// Who serves a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderName {
    /// An Ollama server.
    Ollama,
    /// OpenAI, or one of the many servers that speak its API: llama.cpp, vLLM, LM Studio, OpenRouter.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Nobody: sentences are matched with the actions' examples.
    Offline,
}

impl ProviderName {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 5] =
        [Self::Ollama, Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Offline];

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Offline => "offline",
        }
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The address of a model server, such as `http://127.0.0.1:8080/v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl(String);

impl TryFrom<String> for BaseUrl {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        let url = Url::parse(text.trim()).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        });
        url.map(|_| Self(text.trim().to_owned())).ok_or(
            "an address such as http://127.0.0.1:8080/v1, without a name or password in it, and without ? and #",
        )
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.0
    }
}

/// One model of one provider, written `offline`, `ollama:llama3.1:8B` or
/// `openai:qwen2.5@http://127.0.0.1:8080/v1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Target {
    /// Who serves it.
    pub provider: ProviderName,
    /// Its name there; empty for `offline` alone.
    pub model: String,
    /// The address of the server, if it is not the provider's own or that of OLLAMA_HOST.
    pub base_url: Option<String>,
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is no target.
    #[error("{0:?} names no model; write {RIGHT}")]
    Name(String),
    /// Its address is none, or may hold a secret; it is not shown.
    #[error("behind the @ of {0:?} belongs {1}")]
    Address(String, &'static str),
}

impl Target {
    /// Nobody.
    pub const OFFLINE: Self =
        Self { provider: ProviderName::Offline, model: String::new(), base_url: None };

    /// What `text` means beside `current`: a target, or another model at the same place.
    ///
    /// # Errors
    /// [`TargetError`] when it is neither.
    pub fn meant(text: &str, current: &Self) -> Result<Self, TargetError> {
        let text = text.trim();
        let named = text.split(':').next().unwrap_or_default();
        let names_provider = ProviderName::ALL.iter().any(|name| name.as_str() == named);
        let is_no_name = text.contains(char::is_whitespace) || text.contains("://");
        if names_provider || is_no_name || text.is_empty() || *current == Self::OFFLINE {
            return text.parse();
        }
        Ok(Self { model: text.to_owned(), ..current.clone() })
    }
}

impl Target {
    /// Whether it has an address of its own, and that is on this machine.
    #[must_use]
    pub fn stays_here(&self) -> bool {
        let url = self.base_url.as_ref().and_then(|url| Url::parse(url).ok());
        url.is_some_and(|url| is_this_machine(&url))
    }

    /// Whether it is OpenAI's own service.
    #[must_use]
    pub fn is_openai(&self) -> bool {
        let is_own = |url: &String| Url::parse(url).is_ok_and(|url| is_openai(&url));
        self.provider == ProviderName::OpenAi && self.base_url.as_ref().is_none_or(is_own)
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::Name(shown(text));
        let (provider, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let provider = ProviderName::ALL.into_iter().find(|name| name.as_str() == provider);
        let provider = provider.ok_or_else(wrong)?;
        // A model's name may hold an `@` of its own; an address begins with its scheme.
        let at = ["@http://", "@https://"].iter().find_map(|begin| rest.find(begin));
        let (model, base_url) = match at {
            Some(at) => (&rest[..at], Some(rest[at + 1..].to_owned())),
            None => (rest, None),
        };
        if model.is_empty() != (provider == ProviderName::Offline) {
            return Err(wrong());
        }
        let base_url = base_url.map(BaseUrl::try_from).transpose();
        let base_url =
            base_url.map_err(|why| TargetError::Address(format!("{provider}:{model}"), why))?;
        Ok(Self { provider, model: model.to_owned(), base_url: base_url.map(String::from) })
    }
}

/// What may be shown of a text that names no model: what follows an address's scheme may hold a password.
fn shown(text: &str) -> String {
    match text.split_once("://") {
        Some((before, _)) => format!("{before}://..."),
        None => text.to_owned(),
    }
}

/// What would have been right, for whoever knows already what was given.
const RIGHT: &str = "offline, provider:model or provider:model@http://host:port/v1, with one of the providers \
     ollama, openai, anthropic, gemini";

impl TryFrom<String> for Target {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map_err(|error| match error {
            TargetError::Name(_) => RIGHT,
            TargetError::Address(_, right) => right,
        })
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        target.to_string()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.provider)?;
        if !self.model.is_empty() {
            write!(f, ":{}", self.model)?;
        }
        self.base_url.as_ref().map_or(Ok(()), |url| write!(f, "@{url}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_they_are_written() {
        for text in [
            "offline",
            "ollama:llama3.1:8B",
            "openai:gpt-4o-mini",
            "openai:qwen@2@http://127.0.0.1:8080/v1",
            "gemini:gemini-2.5-flash",
        ] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_model_alone_is_one_at_the_same_place() {
        let here: Target = "openai:gpt-4o@http://127.0.0.1:8080/v1".parse().unwrap();
        let meant = |text: &str| Target::meant(text, &here).map(|target| target.to_string());
        assert_eq!(meant("qwen2.5:3b").unwrap(), "openai:qwen2.5:3b@http://127.0.0.1:8080/v1");
        assert_eq!(meant("openai:gpt-4o").unwrap(), "openai:gpt-4o");
        assert_eq!(meant(" offline ").unwrap(), "offline");
        for text in ["ollama", "ollama:", "", "two words"] {
            meant(text).unwrap_err();
        }
        Target::meant("qwen2.5:3b", &Target::OFFLINE).unwrap_err();
    }

    #[test]
    fn an_address_holds_no_secret_and_none_is_shown() {
        for address in [
            "https://user:hunter2@example.com/v1",
            "https://hunter2@example.com/v1",
            "https://example.com/v1?key=hunter2",
            "https://example.com/v1#hunter2",
            "https://hunter2:x:1",
            "http://",
        ] {
            for text in [format!("openai:m@{address}"), format!("openai:@{address}")] {
                let error = text.parse::<Target>().unwrap_err();
                assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
                let error = serde_json::from_value::<Target>(text.clone().into()).unwrap_err();
                assert!(!error.to_string().contains("hunter2"), "{error}");
            }
        }
        let error = "openai:m@https://user:key@host".parse::<Target>().unwrap_err();
        insta::assert_snapshot!(error, @r#"behind the @ of "openai:m" belongs an address such as http://127.0.0.1:8080/v1, without a name or password in it, and without ? and #"#);
        // Nor is it taken for a part of a name.
        let here: Target = "openai:gpt-4o".parse().unwrap();
        let error = Target::meant("m@https://u:hunter2@host", &here).unwrap_err().to_string();
        assert!(error.contains("names no model") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn what_names_no_model_is_told() {
        for text in ["", "ollama", "ollama:", "offline:x", "llama:x", "openai:@http://x"] {
            let error = text.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains("names no model; write offline, provider:model"), "{error}");
        }
    }
}
