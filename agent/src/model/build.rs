//! Makes models from what is set.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use super::{
    ApiKeys, Ask, Chain, Completion, Host, Link, Listener, Model, ModelError, Offline, Ollama,
};
use crate::config::{Llm, ProviderName, Settings, Target};

/// A model whose server tells what else it has.
#[async_trait]
pub trait Lists: Model {
    /// The models that the server has, sorted by name.
    ///
    /// # Errors
    /// As for [`Model::complete`].
    async fn models(&self) -> Result<Vec<Listed>, ModelError>;
}

/// A model that a server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// How much it holds, in tokens, if the server says so.
    pub window: Option<u64>,
}

/// What models are made with.
#[derive(Debug, Clone, Default)]
pub struct Maker {
    /// The owner's wishes.
    pub llm: Llm,
    /// Where Ollama is, as OLLAMA_HOST has it.
    pub ollama_host: Option<String>,
    /// The keys of the providers.
    pub keys: ApiKeys,
    /// agent/config.json, where a choice can be kept.
    pub file: PathBuf,
}

impl Maker {
    /// Makes models by these settings.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            llm: settings.config.llm.clone(),
            ollama_host: settings.ollama_host.clone(),
            keys: settings.keys.clone(),
            file: settings.file.clone(),
        }
    }

    /// The language model that `target` names.
    ///
    /// # Errors
    /// [`ModelError::Settings`] when something is missing without which it can't even be asked.
    pub fn endpoint(&self, target: &Target) -> Result<Arc<dyn Lists>, ModelError> {
        if let Some(missing) = self.missing_key(target) {
            return Err(missing);
        }
        match target.provider {
            ProviderName::Ollama => {
                let set = target.base_url.as_deref().or(self.ollama_host.as_deref());
                let host = Host::new(set.unwrap_or_default())
                    .map_err(|error| ModelError::Settings(error.to_string()))?;
                Ok(Arc::new(Ollama::new(host, &target.model)?))
            }
            ProviderName::Offline => Err(ModelError::NeedsModel),
            other => Err(ModelError::Settings(format!("{other} is not spoken yet"))),
        }
    }

    /// The link of a chain that asks `target`. One that can't be made is there all the same, and says why.
    #[must_use]
    pub fn link(&self, target: &Target) -> Link {
        if target.provider == ProviderName::Offline {
            return Link::offline(Arc::new(Offline::new(&self.llm.model)));
        }
        match self.endpoint(target) {
            Ok(model) => Link::new(model),
            Err(why) => Link::new(Arc::new(Unusable { name: target.to_string(), why })),
        }
    }

    /// `first`, and those behind it that are set as its fallback.
    #[must_use]
    pub fn chain(&self, first: &Target) -> Chain {
        let others = self.llm.fallback.iter().filter(|target| *target != first);
        let all = std::iter::once(first).chain(others);
        Chain::new(all.map(|target| Arc::new(self.link(target))).collect())
    }

    /// What is said when the provider of `target` wants a key and there is none. Servers at home that speak OpenAI's API
    /// mostly want none, and say so themselves when they do.
    fn missing_key(&self, target: &Target) -> Option<ModelError> {
        let public = ["api.openai.com", "openrouter.ai"];
        let url = target.base_url.as_deref().unwrap_or("https://api.openai.com/v1");
        let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let (key, name) = match target.provider {
            ProviderName::OpenAi if public.contains(&host?.as_str()) => {
                (&self.keys.openai, "OPENAI_API_KEY")
            }
            ProviderName::Anthropic => (&self.keys.anthropic, "ANTHROPIC_API_KEY"),
            ProviderName::Gemini => (&self.keys.gemini, "GEMINI_API_KEY"),
            _ => return None,
        };
        key.is_none().then(|| {
            ModelError::Settings(format!(
                "{target} needs a key; put {name}=... into .env or the environment, and start again"
            ))
        })
    }
}

/// What stands in a chain for a model that can't be made.
struct Unusable {
    name: String,
    why: ModelError,
}

#[async_trait]
impl Model for Unusable {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn complete(&self, _: &Ask<'_>, _: &mut Listener<'_>) -> Result<Completion, ModelError> {
        Err(self.why.clone())
    }
}

#[async_trait]
impl Lists for Ollama {
    async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        let names = Ollama::models(self).await?;
        Ok(names.into_iter().map(|name| Listed { name, window: None }).collect())
    }
}
