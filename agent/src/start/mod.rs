//! An agent's life: settings -> what it needs -> talk -> end.

mod catalog;
mod eyes;
pub(crate) mod model;

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use broker::{Feed, Requester};
use home::{Home, Lock, LockError};
use protocol::{Principal, SessionKey};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::action::{Actions, BrowserVision, LlmSummary, LocalAction, MemoryWrite};
pub use eyes::open_eyes;

use crate::channel::console::Console;
use crate::channel::{Channel, Line};
use crate::config::Settings;
use crate::confine::Confined;
use crate::error::StartError;
use crate::mind::Mind;
use crate::model::{Model, Switch};
use crate::prompt::{Fence, Prompt};
use crate::session::{Desk, Outlet, Session};
use crate::workspace::{OWNER, Workspace};

/// How long the turn that runs at the end may take to be written down.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many things that people say may wait.
const WAITING: usize = 16;

/// What was settled before the talk, for people to read.
#[derive(Debug)]
pub struct Known {
    /// How the router is reached, in words.
    pub way: String,
    /// What the agent has given up.
    pub confined: Confined,
    /// What looks at pages.
    pub eyes: Arc<::eyes::Eyes>,
}

/// Talks on the console until it ends, or SIGTERM comes.
///
/// # Errors
/// [`StartError`] says what to do. When this returns, the agent's end of `broker` is closed.
pub async fn talk<B: Requester + Feed + 'static>(
    home: Home,
    settings: Settings,
    broker: B,
    known: Known,
) -> Result<(), StartError> {
    let (held, unlocked) = lock(&home)?;
    if held.is_some()
        && let Err(error) = home::file::remove_drafts(&home.workspace())
    {
        tracing::warn!(%error, "what a killed agent left behind stays");
    }
    let workspace = Arc::new(Workspace::open(home.workspace()));
    let broker = Arc::new(broker);
    let mut catalog = broker.catalog();
    let ((model, thinks), router) = tokio::join!(
        model::find(&settings, Arc::clone(&workspace.endpoints)),
        catalog::wait_for_first(&mut catalog, &workspace)
    );
    let key = SessionKey::new(OWNER)?;
    let person = Principal::new("console:owner")?;
    let prompt = Prompt::new(Fence::new(random()))?;
    let session = Session::new(key.clone(), person.clone(), workspace.papers(&key), prompt);
    let (outlet, outgoing) = Outlet::new(session.key.clone());
    let events = broker.events(&session.key).await;
    let [reached, skills] = router.lines(known.way, &workspace);
    let mut found = vec![format!("model:  {thinks}"), reached, skills];
    found.extend(known.eyes.is_remote().then(|| eyes::line(&known.eyes)));
    tell(found.iter().chain(&settings.warnings).chain(&unlocked));
    // For who asks: it is the same at every start.
    found.extend((!known.eyes.is_remote()).then(|| eyes::line(&known.eyes)));
    found.push(known.confined.to_string());
    let timeout = settings.config.timeout.span();
    let vision = BrowserVision::new(known.eyes, broker.clone(), timeout);
    let mind = Arc::new(Mind {
        actions: Actions::new(local_actions(&model, vision), broker, timeout)?,
        workspace: Arc::clone(&workspace),
        model,
        max_steps: settings.config.max_steps.count(),
        found,
    });
    mind.pass_notices_on(&session, &outlet);
    let following = tokio::spawn(catalog::follow(catalog, Arc::clone(&workspace)));
    let (sender, incoming) = mpsc::channel(WAITING);
    let leaving = CancellationToken::new();
    let desk = Desk { mind, session, incoming, outlet, events, leaving: leaving.clone() }.run();
    let mut desk = tokio::spawn(desk);
    let console = Console {
        session: key,
        principal: person,
        typed: workspace.folder().join("console_history.txt"),
    };
    let mut terminated = signal(SignalKind::terminate())?;
    let talked = tokio::select! {
        talked = Box::new(console).run(Line { incoming: sender, outgoing }) => talked,
        _ = terminated.recv() => Ok(()),
    };
    // Whoever waited for the turn that still runs has left. It is stopped, and kept in the history.
    leaving.cancel();
    if tokio::time::timeout(FAREWELL, &mut desk).await.is_err() {
        desk.abort();
        let _ = desk.await;
    }
    following.abort();
    let _ = following.await;
    Ok(talked?)
}

fn tell<'a>(lines: impl Iterator<Item = &'a String>) {
    for line in lines {
        // Whoever has closed stderr does not want to hear it.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// The runtime that an agent runs in.
///
/// # Errors
/// When the system gives no threads.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// Keeps other agents away from the workspace. One that nobody can write to needs no lock: then the reason
/// is given in words.
fn lock(home: &Home) -> Result<(Option<Lock>, Option<String>), StartError> {
    match Lock::take(&home.agent_lock()) {
        Ok(lock) => Ok((Some(lock), None)),
        Err(LockError::File(error)) if is_unwritable(error.kind()) => {
            Ok((None, Some(format!("{error}; until the end of this chat all is kept in memory"))))
        }
        Err(error) => Err(error.into()),
    }
}

fn is_unwritable(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull)
}

fn random() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}

fn local_actions(model: &Arc<Switch>, vision: Option<BrowserVision>) -> Vec<Box<dyn LocalAction>> {
    let memory_write = MemoryWrite::new();
    let fence = Fence::new(random());
    let model: Arc<dyn Model> = Arc::<Switch>::clone(model);
    let llm_summary = LlmSummary::new(model, fence);
    let mut actions: Vec<Box<dyn LocalAction>> = Vec::new();
    actions.extend(memory_write.map(|action| Box::new(action) as Box<dyn LocalAction>));
    actions.extend(llm_summary.map(|action| Box::new(action) as Box<dyn LocalAction>));
    actions.extend(vision.map(|action| Box::new(action) as Box<dyn LocalAction>));
    actions
}
