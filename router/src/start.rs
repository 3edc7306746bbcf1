//! A router's life: settings -> what it needs -> serve -> wait for the end -> drain.

use std::sync::Arc;
use std::time::Duration;

use broker::pipe::PipePublisher;
use broker::redis::{AddressError, RedisStore, Terms};
use broker::{Publisher, Store, pipe, redis};
use home::{FileError, Home, HomeError, LockError, file};
use protocol::SessionKey;
use secrets::Secrets;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::audit::Audit;
use crate::catalog::Catalog;
use crate::config::{
    RouterConfig, Settings, SettingsError, WindowPlace, read_config, reread_secrets, supervisor,
};
use crate::events;
use crate::judge::Judge;
use crate::log::Log;
use crate::policy::{PolicyError, PolicyFile};
use crate::pulse::Pulse;
use crate::router::Router;
use crate::runner::SkillSandbox;
use crate::sandbox::SelfCommand;
use crate::window::{self, Desk};
use crate::workbench::Workbench;
use shared::{Folder, Switch, TrafficBook};

/// How long what runs may go on after the end was asked for. On a pipe the agent is gone then, and nobody
/// waits for a reply.
const GRACE_ON_REDIS: Duration = Duration::from_secs(25);
const GRACE_ON_A_PIPE: Duration = Duration::from_secs(2);

/// Why a router did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(
        "REDIS_URL is not set: put it into .env or the environment (REDIS_URL=redis://localhost:6379), \
        or run `safeclaw`, which needs no Redis"
    )]
    NoRedis,
    #[error("{0}")]
    Queue(String),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error("can't listen for signals: {0}")]
    Signals(std::io::Error),
}

/// Serves the queue on Redis until SIGTERM or Ctrl-C.
pub(crate) async fn on_redis(home: Home, myself: SelfCommand) -> Result<(), StartError> {
    let settings = Settings::read(&home)?;
    let Some(address) = settings.queue.address()? else { return Err(StartError::NoRedis) };
    file::make_folder(&home.router_state())?;
    let terms = Terms { lives: Some(home.router_state().join("lives")), ..settings.terms()? };
    if let Err(problem) = address.check().await {
        tracing::warn!("{problem}; waiting for it");
    }
    let shutdown = until_signal()?;
    let (responder, publisher) =
        redis::responder(address.clone(), settings.queue.names.clone(), terms, shutdown)
            .map_err(StartError::Queue)?;
    tracing::info!("serving {} at {}", settings.queue.names.commands(), address.shown());
    let serving = format!("Serving {} at {}", settings.queue.names.commands(), address.shown());
    let store =
        RedisStore::new(address, settings.queue.names.clone()).map_err(StartError::Queue)?;
    let at_once = settings.config.max_parallel.count();
    let router = router(home, settings, myself, publisher, Arc::new(store))?;
    let supervisor = supervisor();
    supervisor.ready(&serving);
    tokio::select! {
        () = router.run(responder, at_once, GRACE_ON_REDIS) => {}
        never = supervisor.beat() => match never {},
    }
    supervisor.ending();
    Ok(())
}

/// Serves the agent at the other end of stdin and stdout until it closes its end. What `log` warns of is told to the owner.
/// Where it `is_first` of a chat, it says on stderr when everything is stopped.
pub(crate) async fn on_a_pipe(
    home: Home,
    myself: SelfCommand,
    log: Log,
    is_first: bool,
) -> Result<(), StartError> {
    // The agent has read `.env`, too, and says what looks wrong there.
    let settings = Settings { warnings: Vec::new(), ..Settings::read(&home)? };
    let shutdown = CancellationToken::new();
    let (responder, publisher) = pipe::responder(tokio::io::stdin(), tokio::io::stdout(), shutdown);
    log.knows(&settings.secrets);
    tokio::spawn(warn_the_owner(log.warnings(), publisher.clone()));
    let store: Arc<dyn Store> = Arc::new(Folder::at(home.router_state()));
    // It stands above what the agent says at its start, which waits for the catalogue.
    if is_first && let Err(stopped) = Switch::new(Arc::clone(&store)).check().await {
        home::say_on_stderr!("{}", stopped.message);
    }
    let at_once = settings.config.max_parallel.count();
    let router = router(home, settings, myself, publisher, store)?;
    router.run(responder, at_once, GRACE_ON_A_PIPE).await;
    Ok(())
}

/// Has the owner hear each of the `warnings`.
async fn warn_the_owner(mut warnings: mpsc::Receiver<String>, publisher: PipePublisher) {
    while let Some(text) = warnings.recv().await {
        let event = events::notice(SessionKey::owner(), text, publisher.now());
        publisher.event(&event).await;
    }
}

/// All that a router needs.
fn router(
    home: Home,
    settings: Settings,
    myself: SelfCommand,
    publisher: impl Publisher + 'static,
    store: Arc<dyn Store>,
) -> Result<Router, StartError> {
    settings.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    crate::defaults::write_missing(&home)?;
    let look = window::look(&settings);
    let Settings { config, secrets, .. } = settings;
    let (window, wanted) = watch::channel(config.window);
    let wishes =
        Wishes { home: home.clone(), secrets: secrets.clone(), good: config.clone(), window };
    let catalog = Catalog::watched(&home, &config, wishes.reader());
    let traffic = TrafficBook::new(&store);
    let workbench = Workbench::new(&home, &store);
    tokio::spawn(workbench.clone().tidy());
    let at_once = config.max_parallel.count();
    let sandbox = SkillSandbox::new(&home, myself, &catalog, secrets.clone(), at_once)?;
    let pulse = Pulse::default();
    let desk = Desk::new(&home, look, &catalog, &pulse, &secrets);
    tokio::spawn(window::keep(desk, wanted));
    let audit = Audit::open(&home.router_audit(), secrets.clone())?;
    Ok(Router {
        pulse,
        judge: Judge::new(PolicyFile::open(&home.router().join("policy.toml"))?, &store),
        sandbox: Box::new(sandbox.counting(traffic.clone()).working_in(workbench.clone())),
        traffic,
        workbench,
        audit,
        catalog,
        secrets,
        publisher: Arc::new(publisher),
    })
}

/// What the owner can change while a router runs.
struct Wishes {
    home: Home,
    secrets: Secrets,
    /// What could be read last.
    good: RouterConfig,
    /// Who has to know where the window is to be.
    window: watch::Sender<WindowPlace>,
}

impl Wishes {
    /// Reads them again at each call; what can't be read leaves in force what was before.
    fn reader(mut self) -> impl FnMut() -> RouterConfig + Send + 'static {
        move || {
            if let Err(error) = reread_secrets(&self.home, &self.secrets) {
                tracing::warn!("{error}; the secrets stay as they were");
            }
            match read_config(&self.home) {
                Ok(config) => self.good = config,
                Err(error) => tracing::warn!("{error}; what was set before stays in force"),
            }
            let place = self.good.window;
            self.window.send_if_modified(|there| std::mem::replace(there, place) != place);
            self.good.clone()
        }
    }
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
        tracing::info!("shutting down; once more ends it at once");
        cancelled.cancel();
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        std::process::exit(1);
    });
    Ok(token)
}
