//! A router's life: settings -> what it needs -> serve -> wait for the end -> drain.

use std::sync::Arc;
use std::time::Duration;

use broker::{Publisher, Responder, pipe, redis};
use home::Home;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::approval::Approvals;
use crate::audit::Audit;
use crate::catalog::Catalog;
use crate::config::{Settings, read_config};
use crate::error::StartError;
use crate::policy::{Policy, Rules};
use crate::router::Router;
use crate::sandbox::{SelfCommand, SkillSandbox};

/// How long what runs may go on after the end was asked for. On a pipe the agent is gone then, and nobody
/// waits for a reply.
const GRACE_ON_REDIS: Duration = Duration::from_secs(25);
const GRACE_ON_A_PIPE: Duration = Duration::from_secs(2);

/// Serves the queue on Redis until SIGTERM or Ctrl-C.
pub(crate) async fn on_redis(home: Home, myself: SelfCommand) -> Result<(), StartError> {
    let settings = Settings::read(&home)?;
    let Some(address) = settings.redis.clone() else { return Err(StartError::NoRedis) };
    if let Err(problem) = address.check().await {
        tracing::warn!("{problem}; waiting for it");
    }
    let shutdown = until_signal()?;
    let (responder, publisher) =
        redis::responder(address.clone(), settings.names.clone(), shutdown)
            .map_err(StartError::Queue)?;
    tracing::info!("serving {} at {}", settings.names.commands(), address.shown());
    serve(home, settings, myself, (responder, publisher, GRACE_ON_REDIS)).await
}

/// Serves the agent at the other end of stdin and stdout until it closes its end.
pub(crate) async fn on_a_pipe(home: Home, myself: SelfCommand) -> Result<(), StartError> {
    let settings = Settings::read(&home)?;
    let shutdown = CancellationToken::new();
    let (responder, publisher) = pipe::responder(tokio::io::stdin(), tokio::io::stdout(), shutdown);
    serve(home, settings, myself, (responder, publisher, GRACE_ON_A_PIPE)).await
}

async fn serve(
    home: Home,
    settings: Settings,
    myself: SelfCommand,
    (responder, publisher, grace): (impl Responder, impl Publisher + 'static, Duration),
) -> Result<(), StartError> {
    settings.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    crate::defaults::write_missing(&home)?;
    let config = settings.config;
    let watched = home.clone();
    let last_good = std::sync::Mutex::new(config.clone());
    let reload = move || reread(&watched, &last_good);
    let router = Router {
        catalog: Catalog::watched(home.router_skills(), &config, reload),
        policy: Policy::new(Rules::read(&home.router().join("policy.toml"))?),
        approvals: Approvals::default(),
        sandbox: Box::new(SkillSandbox::new(&home, myself, settings.secrets.clone())?),
        audit: Audit::open(&home.router_audit(), settings.secrets.clone())?,
        secrets: settings.secrets,
        publisher: Arc::new(publisher),
    };
    router.run(responder, config.max_parallel.max(1), grace).await;
    Ok(())
}

/// The owner's wishes as they are now; those that can't be read leave the last good ones in force.
fn reread(
    home: &Home,
    last_good: &std::sync::Mutex<crate::config::RouterConfig>,
) -> crate::config::RouterConfig {
    let mut last_good = last_good.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match read_config(home) {
        Ok(config) => *last_good = config,
        Err(error) => tracing::warn!("{error}; what was set before stays in force"),
    }
    last_good.clone()
}

/// A token that SIGTERM and Ctrl-C cancel.
fn until_signal() -> Result<CancellationToken, StartError> {
    let token = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate()).map_err(StartError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(StartError::Signals)?;
    let cancelled = token.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("shutting down");
        cancelled.cancel();
    });
    Ok(token)
}
