//! The errors that name a server.

use std::error::Error;
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use secrecy::ExposeSecret as _;

use super::place::{Place, SizedBy};
use super::refusal::{Refusal, Said};
use crate::{ModelError, ProviderName};

/// How much of what a server says is shown, in characters.
const SHOWN: usize = 120;

impl Place {
    /// What a server said, on one line, short, and without the key.
    pub(crate) fn tidy(&self, said: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(&said[..said.len().min(64 * SHOWN)]).into_owned();
        if let Some(key) = &self.key {
            text = text.replace(key.expose_secret(), "[the key]");
        }
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
    }

    /// What it is when a request fails before there is a status, or in the middle.
    pub(crate) fn broken(&self, error: &reqwest::Error) -> ModelError {
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
    pub(crate) fn silent(&self, waited: Duration) -> ModelError {
        let mend = match self.provider {
            ProviderName::Ollama => "see what it does with `ollama ps`",
            _ if self.is_local() => "see what it does in its log",
            _ => {
                let another = home::agent_command("config fallback");
                &format!("ask again later, or name another with `{another}`")
            }
        };
        ModelError::Silent { address: self.address.clone(), waited, mend: mend.to_owned() }
    }

    /// What it is when the model is not there.
    pub(crate) fn unknown_model(&self, model: &str) -> ModelError {
        let mend = match self.provider {
            ProviderName::Ollama => format!("fetch it with `ollama pull {model}`"),
            _ => format!("choose one that it has with `{}`", home::agent_command("config llm")),
        };
        ModelError::UnknownModel { address: self.address.clone(), model: model.to_owned(), mend }
    }

    /// What it is when something else than such a server answers.
    pub(crate) fn bad_frame(&self, frame: &[u8]) -> ModelError {
        ModelError::BadFrame {
            address: self.address.clone(),
            expected: self.expected.to_owned(),
            shown: self.tidy(frame),
        }
    }

    /// What it is when the model has nothing left of its `tokens` to say something with.
    pub(crate) fn only_thought(&self, model: &str, tokens: u64) -> ModelError {
        let mend = match self.sized {
            SizedBy::Asker => {
                "ask for less at once, set a larger llm.window, or take a model that thinks less with `/model`"
            }
            SizedBy::Server => {
                "ask for less at once, or take a model that thinks less with `/model`"
            }
        };
        let (address, model) = (self.address.clone(), model.to_owned());
        ModelError::OnlyThought { address, model, tokens, mend: mend.to_owned() }
    }

    /// What it is when an answer has no end.
    pub(crate) fn endless(&self, after: String) -> ModelError {
        ModelError::Endless { address: self.address.clone(), after }
    }

    /// What it is when the connection ends before the answer does.
    pub(crate) fn cut(&self) -> ModelError {
        ModelError::Cut { address: self.address.clone() }
    }

    /// What it is when the server fails in the middle.
    pub(crate) fn failed(&self, words: &str) -> ModelError {
        let words = self.words(words.as_bytes());
        ModelError::Server { address: self.address.clone(), words }
    }

    /// What it is when the server ends an answer before its first word, and says `word` of it.
    pub(crate) fn declined(&self, word: &str) -> ModelError {
        let word = self.words(word.as_bytes());
        ModelError::Declined { address: self.address.clone(), word }
    }

    /// What it is when the server says this instead of an answer, and that means `refusal`.
    pub(crate) fn refused(
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
                let one = if self.key.is_some() { "the right one" } else { "one for it" };
                let mend = format!("put {one} into {}, in .env or the environment", self.variable);
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
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

/// The innermost reason, which is what the system said. It never shows the URL.
fn deepest(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "it can't be used".to_owned() };
    while let Some(source) = cause.source() {
        cause = source;
    }
    // People have no use for the system's number.
    let text = cause.to_string();
    text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words).to_owned()
}
