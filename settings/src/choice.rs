//! `config llm`: which model thinks, chosen in a conversation and proven before it counts.

use model::ModelError;
use serde_json::json;

use super::keys::{Change, KeyError};
use super::{BaseUrl, Llm, ProviderName, Target, llm};

/// OpenAI's own address, as its API's pages have it.
const OPENAI: &str = "https://api.openai.com/v1";

/// Where others that speak its API usually answer, by their own documentation.
const USUAL: [&str; 5] = [
    OPENAI,
    "http://127.0.0.1:8080/v1 (llama.cpp)",
    "http://127.0.0.1:1234/v1 (LM Studio)",
    "http://127.0.0.1:8000/v1 (vLLM)",
    "https://openrouter.ai/api/v1 (OpenRouter)",
];

/// Where servers that speak OpenAI's API usually answer on this machine; no model is named.
pub(super) fn local() -> impl Iterator<Item = Target> {
    let urls = USUAL.iter().filter_map(|usual| usual.split(' ').next());
    let own = urls.filter(|url| url.starts_with("http://127.0.0.1"));
    own.filter_map(|url| BaseUrl::try_from(url.to_owned()).ok()).map(|url| Target {
        provider: ProviderName::OpenAi,
        model: String::new(),
        base_url: Some(url.into()),
    })
}

impl Change<'_> {
    /// The model that `given` names, without a question.
    pub(super) fn llm_given(&mut self, given: &str) -> Result<(), KeyError> {
        let target = Target::meant(given, &self.file.settings().llm.target())?;
        if target.provider != ProviderName::Offline {
            self.prove(&target)?;
        }
        Ok(llm::set(self.file, &target)?)
    }

    /// A provider, where it is, and one of its models.
    pub(super) fn llm(&mut self) -> Result<(), KeyError> {
        let current = self.file.settings().llm.clone();
        let Some(provider) = self.provider(&current)? else { return Ok(()) };
        if provider == ProviderName::Offline {
            return Ok(llm::set(self.file, &Target::OFFLINE)?);
        }
        let is_same = provider == current.provider;
        let known = current.base_url.filter(|_| is_same).map(String::from);
        let base_url = match provider {
            ProviderName::OpenAi => self.base_url(known)?,
            _ => known,
        };
        let mut target = Target { provider, model: String::new(), base_url };
        let offered = self.offered(&target)?;
        let model = match offered.first() {
            _ if is_same => current.model,
            Some(first) => first.clone(),
            None => String::new(),
        };
        target.model = self.asker.ask("model", &model, &offered)?;
        if target.model.is_empty() {
            return Err(KeyError::NoModel);
        }
        if let Err(error) = self.prove(&target) {
            match self.asker.confirm(&format!("{error}. Keep the setting all the same?"))? {
                Some(true) => {}
                Some(false) => return Err(KeyError::NotKept),
                None => return Err(error.into()),
            }
        }
        Ok(llm::set(self.file, &target)?)
    }

    /// Who serves it; `None` never: what is no provider is refused by the file, which knows how to say it.
    fn provider(&mut self, current: &Llm) -> Result<Option<ProviderName>, KeyError> {
        let providers = ProviderName::ALL.map(|name| name.as_str().to_owned());
        let named = self.asker.ask_one_of("provider", current.provider.as_str(), &providers)?;
        let found = ProviderName::ALL.into_iter().find(|name| name.as_str() == named);
        if found.is_none() {
            self.file.set("llm.provider", json!(named))?;
        }
        Ok(found)
    }

    fn base_url(&mut self, known: Option<String>) -> Result<Option<String>, KeyError> {
        let usual = USUAL.map(str::to_owned);
        let answer = self.asker.ask("base URL", known.as_deref().unwrap_or(OPENAI), &usual)?;
        // A choice says behind its address whose it is.
        let url = answer.split(' ').next().unwrap_or_default();
        Ok((url != OPENAI).then(|| url.to_owned()))
    }

    /// The models that are there; none when their server does not say.
    fn offered(&mut self, target: &Target) -> Result<Vec<String>, KeyError> {
        match self.models.list(target) {
            Ok(models) => Ok(models),
            // Nothing that could be chosen would work.
            Err(error @ (ModelError::Settings(_) | ModelError::WrongKey { .. })) => {
                Err(error.into())
            }
            Err(error) => {
                self.asker.tell(&format!("the models can't be listed: {error}"));
                Ok(Vec::new())
            }
        }
    }

    /// Has it answer once, and says how fast it was.
    pub(super) fn prove(&mut self, target: &Target) -> Result<(), ModelError> {
        self.asker.tell(&format!("asking {target} ..."));
        let proof = self.models.prove(target)?;
        self.asker.tell(&proof.to_string());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
