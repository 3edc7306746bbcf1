//! Who thinks: made by the settings, and looked for before the chat begins.

use std::sync::Arc;
use std::time::Duration;

use crate::config::{ProviderName, Settings};
use crate::error::StartError;
use crate::model::{Chain, Host, Link, Model, Offline, Ollama};

/// How long the look may hold up the start.
const LOOK: Duration = Duration::from_millis(500);

/// The model, and a line on what was found of it.
pub(super) async fn find(settings: &Settings) -> Result<(Arc<dyn Model>, String), StartError> {
    let wanted = &settings.config.llm.model;
    let offline = Offline::new(wanted);
    if settings.config.llm.provider == ProviderName::Offline {
        return Ok((Arc::new(offline), "none; sentences like those of /actions".to_owned()));
    }
    let host = Host::new(settings.ollama_host.as_deref().unwrap_or_default())?;
    let ollama = Ollama::new(host, wanted)?;
    let name = ollama.name();
    let problem = match tokio::time::timeout(LOOK, ollama.models()).await {
        Ok(Ok(models)) if models.iter().any(|model| is_called(model, wanted)) => None,
        Ok(Ok(_)) => Some(ollama.not_pulled()),
        Ok(Err(error)) => Some(error),
        Err(_) => {
            return Ok((Arc::new(chain(ollama, offline)), format!("{name}, slow to answer")));
        }
    };
    let line = match &problem {
        None => name,
        Some(error) => format!("{error}; until then sentences like those of /actions work"),
    };
    let chain = chain(ollama, offline);
    Ok((
        Arc::new(match &problem {
            Some(p) => chain.after(p),
            None => chain,
        }),
        line,
    ))
}
fn chain(ollama: Ollama, offline: Offline) -> Chain {
    Chain::new(vec![
        Arc::new(Link::new(Arc::new(ollama))),
        Arc::new(Link::offline(Arc::new(offline))),
    ])
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
