//! An agent's life: settings -> what it needs -> talk -> end.

use std::sync::Arc;
use std::time::Duration;

use broker::{Feed, Requester};
use home::{Home, Lock};
use protocol::{Catalog, Principal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};

use crate::action::{Actions, LlmSummary, LocalAction, MemoryWrite};
use crate::channel::console::Console;
use crate::channel::{Channel, Line};
use crate::config::{Provider, Settings};
use crate::error::StartError;
use crate::mind::Mind;
use crate::model::{Fallback, Host, Model, Offline, Ollama};
use crate::prompt::{Fence, Prompt};
use crate::session::{Desk, Outlet, Session};
use crate::workspace::{Cards, Workspace};

/// How long the start waits for the first catalogue.
const FIRST_CATALOG: Duration = Duration::from_secs(2);

/// How many things that people say may wait.
const WAITING: usize = 16;

/// Talks on the console until it ends, or SIGTERM comes. `way` says how the router is reached, in words.
///
/// # Errors
/// [`StartError`] says what to do. When this returns, the agent's end of `broker` is closed.
pub async fn talk<B: Requester + Feed + 'static>(
    home: Home,
    settings: Settings,
    broker: B,
    way: String,
) -> Result<(), StartError> {
    let _lock = Lock::take(&home.agent_lock())?;
    let workspace = Arc::new(Workspace::open(home.workspace()));
    let model = model(&settings)?;
    let broker = Arc::new(broker);
    let mut catalog = broker.catalog();
    let published = first_catalog(&mut catalog, &workspace).await;
    let (outlet, outgoing) = Outlet::new();
    let session = Session::owner(Prompt::new(Fence::new(random()))?)?;
    let events = broker.events(&session.key).await;
    let found = found(&*model, &way, published.as_ref(), &workspace);
    found.iter().chain(&settings.warnings).for_each(|line| eprintln!("{line}"));
    let mind = Mind {
        actions: Actions::new(
            local_actions(&workspace, &model),
            broker,
            settings.config.timeout.span(),
        )?,
        workspace: Arc::clone(&workspace),
        model,
        max_steps: settings.config.max_steps.count(),
        found,
    };
    mind.pass_notices_on(&outlet);
    let following = tokio::spawn(follow_catalog(catalog, Arc::clone(&workspace)));
    let (sender, incoming) = mpsc::channel(WAITING);
    let desk = tokio::spawn(Desk { mind, session, incoming, outlet, events }.run());
    let console = Console {
        principal: Principal::new("console:owner")?,
        typed: workspace.folder().join("console_history.txt"),
    };
    let mut terminated = signal(SignalKind::terminate())?;
    let talked = tokio::select! {
        talked = Box::new(console).run(Line { incoming: sender, outgoing }) => talked,
        _ = terminated.recv() => Ok(()),
    };
    // The turn that still runs, if any, is dropped: whoever waited for it has left.
    for task in [following, desk] {
        task.abort();
        let _ = task.await;
    }
    Ok(talked?)
}

/// The runtime that an agent runs in.
///
/// # Errors
/// When the system gives no threads.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

fn random() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}

fn model(settings: &Settings) -> Result<Arc<dyn Model>, StartError> {
    let llm = &settings.config.llm;
    let offline = Offline::new(&llm.model);
    Ok(match llm.provider {
        Provider::Offline => Arc::new(offline),
        Provider::Ollama => {
            let host = Host::new(settings.ollama_host.as_deref().unwrap_or_default())?;
            Arc::new(Fallback::new(Ollama::new(host, &llm.model)?, offline))
        }
    })
}

fn local_actions(workspace: &Arc<Workspace>, model: &Arc<dyn Model>) -> Vec<Box<dyn LocalAction>> {
    let memory_write = MemoryWrite::new(Arc::clone(workspace));
    let fence = Fence::new(random());
    let llm_summary = LlmSummary::new(Arc::clone(workspace), Arc::clone(model), fence);
    let mut actions: Vec<Box<dyn LocalAction>> = Vec::new();
    actions.extend(memory_write.map(|action| Box::new(action) as Box<dyn LocalAction>));
    actions.extend(llm_summary.map(|action| Box::new(action) as Box<dyn LocalAction>));
    actions
}

/// What was found, in three lines: model, broker, skills.
fn found(
    model: &dyn Model,
    way: &str,
    published: Option<&Catalog>,
    workspace: &Workspace,
) -> Vec<String> {
    let skills = match published {
        Some(catalog) if catalog.cards.is_empty() => "none".to_owned(),
        Some(catalog) => {
            catalog.cards.iter().map(|card| card.name.as_str()).collect::<Vec<_>>().join(", ")
        }
        None => {
            let known = workspace.router_actions.read().0.len();
            format!("no router has said yet what it can run ({known} known from before)")
        }
    };
    vec![format!("model:  {}", model.name()), format!("router: {way}"), format!("skills: {skills}")]
}

async fn first_catalog(
    catalog: &mut watch::Receiver<Option<Catalog>>,
    workspace: &Workspace,
) -> Option<Catalog> {
    let first = tokio::time::timeout(FIRST_CATALOG, catalog.wait_for(Option::is_some)).await;
    let published = first.ok()?.ok()?.clone();
    take_over(published.as_ref(), workspace);
    published
}

/// Writes the router's cards to router_actions.json whenever they change.
async fn follow_catalog(mut catalog: watch::Receiver<Option<Catalog>>, workspace: Arc<Workspace>) {
    while catalog.changed().await.is_ok() {
        let published = catalog.borrow_and_update().clone();
        take_over(published.as_ref(), &workspace);
    }
}

fn take_over(published: Option<&Catalog>, workspace: &Workspace) {
    // A router that is gone, or one that publishes nothing, leaves the file as it stands.
    let Some(catalog) = published else { return };
    if let Err(error) = workspace.router_actions.save(Cards(catalog.cards.clone())) {
        tracing::warn!(%error, "the router's actions are kept in memory only");
    }
}
