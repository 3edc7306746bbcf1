//! Who thinks: made by the settings, and looked for before the chat begins.

use std::sync::Arc;
use std::time::Duration;

use model::Endpoints;
use model::{Chain, Lists, Maker, ModelError, Switch};
use settings::{ProviderName, Settings, Target};

/// How long the look may hold up the start.
const LOOK: Duration = Duration::from_millis(500);

/// What a look has found.
enum Found {
    Well(String),
    Slow(String),
    Problem(ModelError),
}

/// The models, and a line on what was found of the first.
pub(super) async fn find(settings: &Settings, known: Arc<Endpoints>) -> (Arc<Switch>, String) {
    let maker = settings.maker(known);
    let first = maker.llm.target();
    let chain = maker.chain(&first);
    if first == Target::OFFLINE {
        let line = "none; sentences like those of /actions".to_owned();
        return (Arc::new(Switch::new(maker, first, chain)), line);
    }
    let provider = first.provider;
    let (chain, line) = match look(&maker, &first).await {
        Found::Well(name) => (chain, format!("{provider}, {name}")),
        Found::Slow(name) => (chain, format!("{provider}, {name}, slow to answer")),
        Found::Problem(error) => {
            let line = format!("{provider}, {}: {error}; {}", first.model, until_then(&chain));
            (chain.after(&error), line)
        }
    };
    (Arc::new(Switch::new(maker, first, chain)), line)
}

async fn look(maker: &Maker, target: &Target) -> Found {
    let endpoint = match maker.endpoint(target) {
        Ok(endpoint) => endpoint,
        Err(error) => return Found::Problem(error),
    };
    let name = endpoint.name();
    match tokio::time::timeout(LOOK, is_there(&*endpoint, target)).await {
        Ok(Ok(())) => Found::Well(name),
        Ok(Err(error)) => Found::Problem(error),
        Err(_) => Found::Slow(name),
    }
}

/// Whether the server has the model.
async fn is_there(endpoint: &dyn Lists, target: &Target) -> Result<(), ModelError> {
    let listed = endpoint.models().await?;
    // Others take names that they don't list, and have names for one model that they list under another.
    if target.provider != ProviderName::Ollama
        || listed.iter().any(|listed| is_called(&listed.name, &target.model))
    {
        return Ok(());
    }
    Err(endpoint.unknown())
}

/// The line that tells who `thinks`.
pub(super) fn line(thinks: &str) -> String {
    settings::words().fill("start.model", &[("model", &thinks)])
}

/// Who answers while the first one can't.
fn until_then(chain: &Chain) -> String {
    match chain.links().get(1) {
        Some(next) if next.is_offline() => {
            "until then sentences like those of /actions work".to_owned()
        }
        Some(next) => format!("until then {} answers", next.name()),
        None => {
            let fallback = home::agent_command("config fallback");
            format!("nobody else is set to answer; name another with `{fallback}`")
        }
    }
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
