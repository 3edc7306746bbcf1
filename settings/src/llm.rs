//! `llm`: the changes of the language model that agent/config.json keeps.

use std::path::Path;
use std::sync::Arc;

use home::{ConfigError, ConfigFile};
use serde_json::{Value, json};

use ::llm::{ProviderName, Target};

use super::{AgentConfig, Settings, SettingsError};
use model::{Endpoints, Maker, Trusted};

impl Settings {
    /// Makes models by these settings, with what is `known` of servers.
    #[must_use]
    pub fn maker(&self, known: Arc<Endpoints>) -> Maker {
        Maker {
            llm: self.config.llm.clone(),
            ollama_host: self.ollama_host.clone(),
            keys: self.keys.clone(),
            file: self.file.clone(),
            known,
            breakers: Arc::default(),
            trusted: Trusted::of(&self.config.llm.private_to),
        }
    }
}

/// Makes `target` the model that thinks, in agent/config.json at `path`.
///
/// # Errors
/// [`SettingsError`]; the file is unchanged then.
pub fn keep(path: &Path, target: &Target) -> Result<(), SettingsError> {
    Ok(set(&mut super::open(path)?, target)?)
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

/// Lets `targets` and no others read what is private when they stand in, in agent/config.json at `path`.
///
/// # Errors
/// [`SettingsError`]; the file is unchanged then.
pub fn keep_trusted(path: &Path, targets: &[Target]) -> Result<(), SettingsError> {
    Ok(super::open(path)?.set("llm.private_to", json!(targets))?)
}

/// Sets who is asked in turn.
pub(super) fn set_fallback(
    file: &mut ConfigFile<AgentConfig>,
    chain: &[Target],
) -> Result<(), ConfigError> {
    file.set("llm.fallback", Value::Array(chain.iter().map(|target| json!(target)).collect()))
}
