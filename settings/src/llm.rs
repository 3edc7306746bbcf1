//! `llm`: the changes of the language model that agent/config.json keeps.

use std::path::Path;
use std::sync::Arc;

use ::llm::{ProviderName, Target};
use home::{ConfigError, ConfigFile};
use model::{Endpoints, Maker, Trusted};
use serde_json::{Value, json};

use super::{AgentConfig, Settings, SettingsError, chosen};

impl Settings {
    /// Makes models by these settings, with what is `known` of servers.
    #[must_use]
    pub fn maker(&self, known: Arc<Endpoints>) -> Maker {
        Maker {
            llm: self.config.llm.clone(),
            ollama_host: self.ollama_host.clone(),
            keys: self.keys.clone(),
            chosen: self.chosen.clone(),
            known,
            breakers: Arc::default(),
            trusted: Trusted::of(&self.config.llm.private_to),
        }
    }
}

/// Notes at `path` that `target` is to be the model that thinks.
///
/// # Errors
/// [`SettingsError`]; nothing is noted then.
pub fn keep(path: &Path, target: &Target) -> Result<(), SettingsError> {
    let mut pairs = vec![("llm.provider", json!(target.provider))];
    if target.provider != ProviderName::Offline {
        pairs.push(("llm.model", json!(target.model)));
        pairs.push(("llm.base_url", json!(target.base_url)));
    }
    chosen::note(path, pairs)
}

/// Sets what `target` says, and no key that is as it was or that it says nothing of.
pub(super) fn set(file: &mut ConfigFile<AgentConfig>, target: &Target) -> Result<(), ConfigError> {
    let mut pairs = vec![("llm.provider", json!(target.provider))];
    if target.provider != ProviderName::Offline {
        pairs.push(("llm.model", json!(target.model)));
        let url = json!(target.base_url);
        if json!(file.settings().llm.base_url) != url {
            pairs.push(("llm.base_url", url));
        }
    }
    file.set_all(pairs)
}

/// Notes at `path` that `targets` and no others may read what is private when they stand in.
///
/// # Errors
/// [`SettingsError`]; nothing is noted then.
pub fn keep_trusted(path: &Path, targets: &[Target]) -> Result<(), SettingsError> {
    chosen::note(path, [("llm.private_to", json!(targets))])
}

/// Sets who is asked in turn.
pub(super) fn set_fallback(
    file: &mut ConfigFile<AgentConfig>,
    chain: &[Target],
) -> Result<(), ConfigError> {
    file.set("llm.fallback", Value::Array(chain.iter().map(|target| json!(target)).collect()))
}
