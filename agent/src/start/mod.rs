//! An agent's life: settings -> what it needs -> talk -> end.

mod catalog;
mod channels;
mod clock;
mod eyes;
mod keep;
pub(crate) mod model;
mod reception;
mod running;
#[cfg(feature = "telegram")]
mod telegram;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use broker::{Feed, Requester};
use business::Reception;
use channel::Channel;
use channel::console::{OneMessage, OwnEditor};
use channel::http::web::Page;
use confine::Confined;
use conversation::workspace::{self, Workspace};
use home::log::Notices;
use home::{Home, Lock, LockError};
use markup::Surface;
use mind::Mind;
use mind::links::Links;
use prompt::{Fence, Now, Sources};
use protocol::NameError;
use secrets::Secrets;
use session::{Lines, OwnersStanding};
use settings::{Settings, Terminal};
use supervisor::Supervisor;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::channels::{Channels, Seat};

use action::{
    self, Actions, Acts, AddSchedule, ApartReader, BroadcastMsg, BrowserVision, LlmSummary,
    LocalAction, MemoryWrite, RecallMemory, Sets, Veil,
};
pub use eyes::open_eyes;

use crate::error::StartError;
use crate::registry::SessionRegistry;
use ::model::{Endpoints, Model, Switch};

/// What was settled before the talk, for people to read.
#[derive(Debug)]
pub struct Known {
    /// How the router is reached, in words.
    pub way: String,
    /// What the agent has given up.
    pub confined: Confined,
    /// What looks at pages.
    pub eyes: Arc<::eyes::Eyes>,
    /// What starts an editor of the person's own, if something can: the agent is confined.
    pub editor: Option<Arc<dyn OwnEditor>>,
    /// The one message that is said instead of a conversation.
    pub says: Option<OneMessage>,
    /// The agent's own keys, which are not remembered.
    pub secrets: Secrets,
    /// The agent's own warnings.
    pub notices: Notices,
    /// Who is told when the agent is ready and while it lives.
    pub supervisor: Supervisor,
}

/// Talks with people over all channels until they, or SIGTERM, have ended it.
///
/// # Errors
/// [`StartError`] says what to do. When this returns, the agent's end of `broker` is closed.
pub async fn talk<B: Requester + Feed + 'static>(
    home: Home,
    settings: Settings,
    broker: B,
    known: Known,
) -> Result<(), StartError> {
    let is_first = !home.agent_lock().exists();
    let (_held, unlocked) = lock(&home, &settings)?;
    let (workspace, broker) = (Arc::new(Workspace::open(home.workspace())), Arc::new(broker));
    let mut catalog = broker.catalog();
    let ((model, thinks), router) = tokio::join!(
        model::find(&settings, Arc::new(Endpoints::of(&workspace))),
        catalog::wait_for_first(&mut catalog, &workspace)
    );
    let [reached, skills] = router.lines(known.way, &workspace);
    let mut found = vec![model::line(&thinks), reached, skills];
    found.extend(known.eyes.is_remote().then(|| eyes::line(&known.eyes)));
    // Whoever wants one answer wants no greeting.
    let greeting = known.says.is_none().then(|| found.iter().cloned().chain(offer(is_first)));
    tell(greeting.into_iter().flatten().chain(warnings(&settings, unlocked, &workspace)));
    found.extend(for_who_asks(&known.eyes, &known.confined));
    let (timeout, quit) = (settings.config.timeout.span(), CancellationToken::new());
    let (lines, standing) = (Lines::default(), OwnersStanding::default());
    let page = Page::new(&workspace, &model, &standing);
    let book = clock::book(&settings, &workspace, known.says.is_none());
    let reception = Arc::new(reception::open(&settings, &workspace));
    let is_seated = known.says.is_none() && Terminal::is_there();
    let (editor, says) = (known.editor, known.says);
    let seat = Seat { standing: standing.clone(), editor, says, book: book.clone() };
    let Channels { all: mut channels, lines: on } =
        channels::all(&settings, &page, (&quit, &reception), seat)?;
    tell(on.iter().cloned());
    let status = reached_by(&channels);
    found.extend(on);
    let broadcast = broadcast(&channels, &lines, &broker, timeout);
    let schedule = book.clone().and_then(|book| AddSchedule::new(book, broker.clone(), timeout));
    let vision = BrowserVision::new(known.eyes, broker.clone(), timeout);
    let others = [boxed(vision), boxed(broadcast), boxed(schedule)];
    let reader = reader(&model, &settings);
    let actions = all_actions(others, reader, known.secrets, (broker.clone(), timeout))?;
    let mind = Arc::new(Mind {
        sources: Sources::built_in().with(Now { book: book.clone() }),
        book,
        reception: Arc::clone(&reception),
        sets: Sets::new(settings.config.sets.clone(), settings.chosen.clone()),
        max_steps: settings.config.max_steps.count(),
        budget: settings.config.workbench,
        by_name: settings.by_name,
        links: Links::of(&settings),
        standing,
        seated: is_seated.then(channels::at_the_console).transpose()?,
        found,
        ..Mind::new(Arc::clone(&workspace), model, actions)
    });
    channels.extend(clock::channel(&mind, &settings.config.clock));
    let catalog = catalog::follow(catalog, Arc::clone(&workspace));
    let aged = (workspace, settings.config.memory);
    let beside = tokio::spawn(keep::beside(catalog, aged, Arc::clone(&reception)));
    pass_on(&known.notices, lines.clone());
    let registry = SessionRegistry::new(mind, broker, lines, CancellationToken::new());
    let running = running::run(registry, channels, quit, terminated()?);
    let talked = supervised(&known.supervisor, &status, running).await;
    end(beside, &reception, &known.notices).await;
    talked
}

/// What looks wrong and does not stop the start; `unlocked` is what is wrong with the lock, if something is.
fn warnings(
    settings: &Settings,
    unlocked: Option<String>,
    workspace: &Workspace,
) -> impl Iterator<Item = String> {
    let without_code = action::without_code(&workspace.agent_actions.read());
    settings.warnings.clone().into_iter().chain(unlocked).chain(without_code)
}

/// What is the same at every start, so that a greeting does without it.
fn for_who_asks(eyes: &::eyes::Eyes, confined: &Confined) -> impl Iterator<Item = String> {
    let line = (!eyes.is_remote()).then(|| eyes::line(eyes));
    line.into_iter().chain([confined.to_string()])
}

/// Says things to all channels. To one channel alone it would say what is said there anyway.
fn broadcast<B: Requester + 'static>(
    channels: &[Box<dyn Channel>],
    lines: &Lines,
    broker: &Arc<B>,
    timeout: Duration,
) -> Option<BroadcastMsg> {
    (channels.len() > 1)
        .then(|| BroadcastMsg::new(lines.clone(), Arc::<B>::clone(broker), timeout))
        .flatten()
}

/// Has notices said at the console.
fn pass_on(notices: &Notices, console: Lines) {
    notices.tell_to(move |notice| console.warn(notice));
}

/// Ends what was done beside the talk; from now on nobody but stderr hears of anything.
async fn end(task: JoinHandle<()>, reception: &Arc<Reception>, notices: &Notices) {
    notices.tell_stderr();
    task.abort();
    let _ = task.await;
    keep::keep_now(reception).await;
}

/// Does `work`, and tells the supervisor when it begins, while it lives, and when it has ended.
async fn supervised<R>(supervisor: &Supervisor, status: &str, work: impl Future<Output = R>) -> R {
    supervisor.ready(status);
    let done = tokio::select! {
        done = work => done,
        never = supervisor.beat() => match never {},
    };
    supervisor.ending();
    done
}

/// The channels, in a line for people.
fn reached_by(channels: &[Box<dyn Channel>]) -> String {
    let names: Vec<&str> = channels.iter().map(|channel| channel.name()).collect();
    format!("Reached by {}", names.join(", "))
}

/// Ends at SIGTERM.
fn terminated() -> io::Result<impl Future<Output = ()>> {
    let mut signals = signal(SignalKind::terminate())?;
    Ok(async move { signals.recv().await.unwrap_or_default() })
}

/// What a person is told at the first start.
fn offer(is_first: bool) -> Option<String> {
    let command = home::command("init");
    (is_first && Terminal::is_there())
        .then(|| settings::words().fill("start.setUp", &[("command", &command)]))
}

fn tell(lines: impl Iterator<Item = String>) {
    for line in lines {
        home::say_on_stderr!("{}", markup::told(Surface::of_stderr(), &line));
    }
}

/// The runtime that an agent runs in.
///
/// # Errors
/// When the system gives no threads.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// Keeps other agents away from the workspace, and removes what one that was killed has left half written there. One that nobody can write to needs no lock: then the reason
/// is given in words.
fn lock(home: &Home, settings: &Settings) -> Result<(Option<Lock>, Option<String>), StartError> {
    match Lock::take(&home.agent_lock()) {
        Ok(lock) => {
            workspace::remove_drafts(&home.workspace());
            Ok((Some(lock), None))
        }
        Err(LockError::File(error)) if is_unwritable(error.kind()) => {
            Ok((None, Some(format!("{error}; until the end of this chat all is kept in memory"))))
        }
        Err(taken @ LockError::Taken { .. }) => {
            let has_page = settings.config.http.listen.is_some();
            Err(StartError::Taken { taken, beside: beside(has_page) })
        }
        Err(error) => Err(error.into()),
    }
}

/// What people can do beside an agent that works here already.
fn beside(has_page: bool) -> String {
    let command = home::agent_command(if has_page { "web" } else { "config http 127.0.0.1:8787" });
    match has_page {
        true => format!("or talk with it on its page, to which `{command}` gives a link"),
        false => {
            format!("`{command}` has its next start open a page, where you talk beside a chat")
        }
    }
}

fn is_unwritable(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull)
}

fn random() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}

/// Reads what others have written, with the model in force.
fn reader(model: &Arc<Switch>, settings: &Settings) -> Arc<ApartReader> {
    let model: Arc<dyn Model> = Arc::<Switch>::clone(model);
    Arc::new(ApartReader::new(model, Fence::new(random()), settings.config.apart.clone()))
}

/// What can be done: the `others`, what this process does by itself, and what the router behind the `broker` can run.
fn all_actions(
    others: [Option<Box<dyn LocalAction>>; 3],
    reader: Arc<ApartReader>,
    secrets: Secrets,
    (broker, timeout): (Arc<dyn Requester>, Duration),
) -> Result<Actions, NameError> {
    let veil = Arc::new(Veil::new(secrets, Arc::clone(&broker))?);
    let write = MemoryWrite::new().map(|write| write.with_veil(Arc::clone(&veil)));
    let own = [boxed(write), boxed(LlmSummary::with(Arc::clone(&reader)))];
    let last = [boxed(Acts::new(Arc::clone(&broker), timeout)), boxed(RecallMemory::new())];
    let local = own.into_iter().chain(others).chain(last).flatten().collect();
    Ok(Actions::new(local, broker, timeout)?.with_reader(reader).with_veil(veil))
}

fn boxed<A: LocalAction + 'static>(action: Option<A>) -> Option<Box<dyn LocalAction>> {
    action.map(|action| Box::new(action) as Box<dyn LocalAction>)
}
