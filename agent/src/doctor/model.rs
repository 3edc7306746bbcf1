//! The language models: whether the first and those that stand in for it answer, and how fast.

use std::sync::Arc;
use std::time::Duration;

use home::Check;
use model::{Maker, Model, Progress, prove};
use settings::{ProviderName, Settings, Target};

/// How long a model may take to answer one word. A model that a server has yet to load takes most of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How another is chosen.
fn choose() -> String {
    format!("choose another: {}", home::agent_command("config llm"))
}

pub(super) async fn checks(settings: &Settings) -> Vec<Check> {
    // What is learned here is forgotten again.
    let maker = settings.maker(Arc::default());
    let first = maker.llm.target();
    let mut checks = vec![check(&maker, &first, "model").await];
    for target in maker.llm.fallback.iter().filter(|target| **target != first) {
        // A model that stands in may be down without harm as long as the first answers.
        let seen = check(&maker, target, "model fallback").await;
        checks.push(match seen.status {
            home::Status::Fail => Check::warn(seen.name, seen.seen, seen.mend),
            _ => seen,
        });
    }
    checks
}

async fn check(maker: &Maker, target: &Target, name: &'static str) -> Check {
    if target.provider == ProviderName::Offline {
        let seen = "offline: no language model; sentences like those of /actions work";
        return match name {
            "model" => Check::warn(name, seen, choose()),
            _ => Check::ok(name, seen),
        };
    }
    let endpoint = match maker.make(target) {
        Ok(endpoint) => endpoint,
        Err(error) => return Check::fail(name, format!("{target}: {error}"), choose()),
    };
    match tokio::time::timeout(PATIENCE, prove(&endpoint, &mut |_: Progress<'_>| {})).await {
        Ok(Ok(proof)) => {
            let window = endpoint.in_force().map(|now| now.window.value);
            let window = window.map(|tokens| format!(", window {tokens} tokens"));
            Check::ok(name, format!("{proof}{}", window.unwrap_or_default()))
        }
        Ok(Err(error)) => Check::fail(name, format!("{target}: {error}"), choose()),
        Err(_) => Check::fail(
            name,
            format!("{target}: no answer within {} s", PATIENCE.as_secs()),
            format!("see whether its server is loading a model or is busy, or {}", choose()),
        ),
    }
}
