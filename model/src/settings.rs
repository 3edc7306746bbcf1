//! `llm` in agent/config.json: which language model thinks, how it is asked, and who stands in.

use llm::{BaseUrl, ProviderName, Target, Way};
use serde::{Deserialize, Serialize};

/// Which language model thinks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Llm {
    /// Who serves it.
    pub provider: ProviderName,
    /// Its name there.
    pub model: String,
    /// The address of the server, if it is not the provider's own or that of OLLAMA_HOST.
    pub base_url: Option<BaseUrl>,
    /// How it is asked for actions.
    pub way: WayWish,
    /// Whether it is shown pictures.
    pub vision: Vision,
    /// The size of its window in tokens, if it is not what the server says or what SafeClaw asks for.
    pub window: Option<Window>,
    /// Who is asked in turn when it can't answer.
    pub fallback: Vec<Target>,
    /// Those of them outside of the house that may read what is private.
    pub private_to: Vec<Target>,
}

impl Default for Llm {
    fn default() -> Self {
        Self {
            provider: ProviderName::Ollama,
            model: "llama3.1:8B".to_owned(),
            base_url: None,
            way: WayWish::Auto,
            vision: Vision::Auto,
            window: None,
            fallback: vec![Target::OFFLINE],
            private_to: Vec::new(),
        }
    }
}

impl Llm {
    /// Whom to ask first.
    #[must_use]
    pub fn target(&self) -> Target {
        match self.provider {
            ProviderName::Offline => Target::OFFLINE,
            provider => Target {
                provider,
                model: self.model.clone(),
                base_url: self.base_url.clone().map(String::from),
            },
        }
    }
}

impl Llm {
    /// Everybody who may be asked: the first, and its fallback.
    pub fn asked(&self) -> impl Iterator<Item = Target> {
        std::iter::once(self.target()).chain(self.fallback.iter().cloned())
    }
}

/// How a model should be asked for actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WayWish {
    /// As it suits the endpoint.
    Auto,
    /// [`Way::ToolCode`]
    ToolCode,
    /// [`Way::Json`]
    Json,
    /// [`Way::Native`]
    Native,
}

impl WayWish {
    /// The way that is wished for, if it is a certain one.
    #[must_use]
    pub fn way(self) -> Option<Way> {
        match self {
            Self::Auto => None,
            Self::ToolCode => Some(Way::ToolCode),
            Self::Json => Some(Way::Json),
            Self::Native => Some(Way::Native),
        }
    }
}

/// Whether a model is shown pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vision {
    /// If its server says that it sees.
    Auto,
    /// Yes, until it refuses one.
    On,
    /// No.
    Off,
}

impl Vision {
    /// Whether it sees, if that is said.
    #[must_use]
    pub fn sees(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::On => Some(true),
            Self::Off => Some(false),
        }
    }
}

/// Tokens, from 1,024 to 10,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Window(u64);

impl TryFrom<u64> for Window {
    type Error = String;
    fn try_from(tokens: u64) -> Result<Self, String> {
        match tokens {
            1_024..=10_000_000 => Ok(Self(tokens)),
            _ => Err("a number of tokens from 1024 to 10000000".to_owned()),
        }
    }
}

impl From<Window> for u64 {
    fn from(window: Window) -> u64 {
        window.0
    }
}
