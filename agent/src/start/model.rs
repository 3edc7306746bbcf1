//! Who thinks: made by the settings, and looked for before the chat begins.

use std::sync::Arc;
use std::time::Duration;

use crate::config::{ProviderName, Settings, Target};
use crate::error::StartError;
use crate::model::{ApiKeys, Endpoint, Fallback, Host, Model, Offline};
use crate::workspace::Endpoints;

/// How long the look may hold up the start.
const LOOK: Duration = Duration::from_millis(500);

/// The model, and a line on what was found of it.
pub(super) async fn find(
    settings: &Settings,
    known: Arc<Endpoints>,
) -> Result<(Arc<dyn Model>, String), StartError> {
    let wanted = &settings.config.llm.model;
    let offline = Offline::new(wanted);
    if settings.config.llm.provider == ProviderName::Offline {
        return Ok((Arc::new(offline), "none; sentences like those of /actions".to_owned()));
    }
    let endpoint = Endpoint::new(&target(settings)?, &ApiKeys::default(), known)?;
    let name = endpoint.name();
    let problem = match tokio::time::timeout(LOOK, endpoint.models()).await {
        Ok(Ok(models)) if models.iter().any(|model| is_called(&model.name, wanted)) => None,
        Ok(Ok(_)) => Some(endpoint.unknown_model()),
        Ok(Err(error)) => Some(error),
        Err(_) => {
            return Ok((
                Arc::new(Fallback::new(endpoint, offline)),
                format!("{name}, slow to answer"),
            ));
        }
    };
    let line = match &problem {
        None => name,
        Some(error) => format!("{error}; until then sentences like those of /actions work"),
    };
    Ok((Arc::new(Fallback::new(endpoint, offline).after(problem)), line))
}

/// The model that the settings name.
pub(crate) fn target(settings: &Settings) -> Result<Target, StartError> {
    let llm = &settings.config.llm;
    let base_url = settings.ollama_host.clone().filter(|_| llm.provider == ProviderName::Ollama);
    if let Some(host) = &base_url {
        Host::new(host)?;
    }
    Ok(Target { provider: llm.provider, model: llm.model.clone(), base_url })
}

/// Whether Ollama means `listed` by `wanted`: letter case does not count, and no tag means `latest`.
fn is_called(listed: &str, wanted: &str) -> bool {
    listed.eq_ignore_ascii_case(wanted) || listed.eq_ignore_ascii_case(&format!("{wanted}:latest"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_ollama_takes_them() {
        assert!(is_called("llama3.1:8b", "llama3.1:8B"));
        assert!(is_called("llama3.1:latest", "llama3.1"));
        assert!(!is_called("llama3.1:70b", "llama3.1"));
    }
}
