//! All sessions that are open. Each has a task of its own, which begins at the session's first message.

mod task;

mod awaited;
mod capture;
mod events;
mod gate;
mod meanwhile;
mod waiting;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broker::Feed;
use channel::{Channel, Incoming, Line, Said};
use conversation::message::Outgoing;
use mind::Mind;
use prompt::{Fence, Prompt, TemplateError};
use protocol::{Principal, SessionKey};
use session::{ChannelId, Lines, Outbox, Session};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use events::RouterWords;
pub use task::SessionTask;
use waiting::{WAITING, refused};

/// How much may come to a session before its task has looked at it. Telegram alone gives 100 messages at once, and a task looks at
/// what waits between two steps of a turn.
const AT_ONCE: usize = 1_024;

/// Takes what comes over all channels to the tasks of their sessions. Sessions run side by side, and none waits for another.
pub struct SessionRegistry {
    /// What all sessions think and act with.
    pub mind: Arc<Mind>,
    /// What the router says on its own.
    pub feed: Arc<dyn Feed>,
    /// The way out.
    pub lines: Lines,
    /// Cancelled when the agent ends: the turns that run are stopped then, and kept.
    pub leaving: CancellationToken,
    handles: Handles,
}

/// The tasks of the sessions that are awake.
#[derive(Debug, Clone, Default)]
struct Handles(Arc<Mutex<HashMap<SessionKey, TaskHandle>>>);

/// Where a session's messages go.
#[derive(Debug)]
struct TaskHandle {
    incoming: mpsc::Sender<Incoming>,
    task: JoinHandle<()>,
}

/// What comes over one channel.
#[derive(Debug)]
pub struct Heard {
    place: ChannelId,
    has_people: bool,
    incoming: mpsc::Receiver<Incoming>,
}

impl Heard {
    /// The channel's place among the lines.
    #[must_use]
    pub fn place(&self) -> ChannelId {
        self.place
    }

    /// Whether people are there.
    #[must_use]
    pub fn has_people(&self) -> bool {
        self.has_people
    }
}

impl SessionRegistry {
    /// A registry without any session.
    #[must_use]
    pub fn new(
        mind: Arc<Mind>,
        feed: Arc<dyn Feed>,
        lines: Lines,
        leaving: CancellationToken,
    ) -> Self {
        Self { mind, feed, lines, leaving, handles: Handles::default() }
    }

    /// Starts the task of the session `key`, whose first person is `from`, before anybody says anything there.
    pub fn open(&self, key: SessionKey, from: Principal) {
        let handle = self.handle(key.clone(), from, None);
        self.handles.all().insert(key, handle);
    }

    /// A line for `channel`, and what comes over it for [`Self::serve`].
    #[must_use]
    pub fn connect(&self, channel: &dyn Channel) -> (Line, Heard) {
        let (place, outgoing) =
            self.lines.open(channel.name(), channel.is_owners(), channel.has_people());
        let (sender, incoming) = mpsc::channel(WAITING);
        (
            Line { incoming: sender, outgoing },
            Heard { place, has_people: channel.has_people(), incoming },
        )
    }

    /// Serves all sessions until no person can say anything any more, or `quit` is cancelled: then what runs is answered to
    /// its end, what was answered is waited for, and all lines end.
    pub async fn serve(self: Arc<Self>, heard: Vec<Heard>, quit: CancellationToken) {
        let (people, others): (Vec<_>, Vec<_>) = heard.into_iter().partition(Heard::has_people);
        let listening = |heard: Vec<Heard>| {
            futures::future::join_all(heard.into_iter().map(|heard| self.listen(heard)))
        };
        let others = async {
            tokio::join!(listening(others), self.pass_replies_on());
            std::future::pending::<()>().await;
        };
        tokio::select! {
            _ = listening(people) => {}
            () = others => {}
            () = quit.cancelled() => {}
            () = self.leaving.cancelled() => {}
        }
        let handles: Vec<TaskHandle> =
            self.handles.all().drain().map(|(_, handle)| handle).collect();
        // All at once: who is told first must not wait for who has much to do.
        let tasks: Vec<JoinHandle<()>> = handles.into_iter().map(|handle| handle.task).collect();
        futures::future::join_all(tasks).await;
        self.lines.close();
    }

    /// Says something about the agent itself to the owner.
    pub(crate) fn tell_owner(&self, notice: String) {
        self.lines.say(&SessionKey::owner(), Outgoing::Notice(notice));
    }

    /// Forgets a channel that has ended.
    pub(crate) fn hang_up(&self, place: ChannelId) {
        self.lines.hang_up(place);
    }

    async fn listen(&self, mut heard: Heard) {
        while let Some(incoming) = heard.incoming.recv().await {
            self.take(heard.place, incoming);
        }
    }

    /// Takes one thing to the task of its session. It never waits.
    fn take(&self, place: ChannelId, incoming: Incoming) {
        if !self.lines.admits(place, &incoming.session) {
            return tracing::error!(
                "{} may not speak in the session {}",
                incoming.from,
                incoming.session
            );
        }
        if !incoming.may_come() {
            return tracing::error!("{} is no person and may only say something", incoming.from);
        }
        if let Some(incoming) = self.judged(incoming) {
            self.send(incoming);
        }
    }

    /// Hands one thing to the task of its session, which begins if it is not there.
    fn send(&self, incoming: Incoming) {
        let (key, from) = (incoming.session.clone(), incoming.from.clone());
        let mut handles = self.handles.all();
        let there = handles.remove(&key);
        let (handle, sent) = match there {
            None => self.handle(key.clone(), from, None).send(incoming),
            Some(handle) => match handle.send(incoming) {
                // The task has ended meanwhile; a new one begins where it stopped.
                (handle, Err(TrySendError::Closed(incoming))) => {
                    self.handle(key.clone(), from, Some(handle.task)).send(incoming)
                }
                other => other,
            },
        };
        handles.insert(key.clone(), handle);
        drop(handles);
        match sent {
            Ok(()) => {}
            // Where nothing may be said, not even that is.
            Err(TrySendError::Full(Incoming { ticket, said: Said::Overheard(_), .. })) => {
                tracing::warn!("a message in the session {key} is not kept: too many came at once");
                self.let_go(&key, ticket);
            }
            Err(TrySendError::Full(incoming) | TrySendError::Closed(incoming)) => {
                self.lines.say(&key, refused(incoming.ticket));
            }
        }
    }

    /// A task, which begins once the `earlier` one of its session has ended.
    fn handle(
        &self,
        key: SessionKey,
        from: Principal,
        earlier: Option<JoinHandle<()>>,
    ) -> TaskHandle {
        let (incoming, said) = mpsc::channel(AT_ONCE);
        let outbox = Outbox::new(key.clone(), &self.lines);
        let (mind, feed) = (Arc::clone(&self.mind), Arc::clone(&self.feed));
        let (leaving, handles) = (self.leaving.clone(), self.handles.clone());
        let task = async move {
            if let Some(earlier) = earlier {
                // One that has panicked has ended, too.
                let _ = earlier.await;
            }
            match session(&mind, key.clone(), from) {
                Ok(session) => {
                    let (others, events) = mpsc::unbounded_channel();
                    let words = RouterWords { outbox: outbox.clone(), others };
                    feed.subscribe(&session.key, Box::new(words)).await;
                    SessionTask { mind, session, incoming: said, outbox, events, leaving }
                        .run()
                        .await;
                }
                Err(error) => refuse_all(said, &outbox, &error.to_string()),
            }
            handles.forget(&key);
        };
        TaskHandle { incoming, task: tokio::spawn(task) }
    }

    /// How many sessions are awake: those of guests fall asleep when they have been silent for a minute.
    #[must_use]
    pub fn awake(&self) -> usize {
        self.handles.all().len()
    }
}

impl Handles {
    /// Forgets the task of a session that has ended, unless the next one is there already.
    fn forget(&self, key: &SessionKey) {
        let mut all = self.all();
        if all.get(key).is_some_and(|handle| handle.incoming.is_closed()) {
            all.remove(key);
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn all(&self) -> MutexGuard<'_, HashMap<SessionKey, TaskHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers what is said to a session that can't be served: whoever waits for the end of an answer must not wait for ever.
fn refuse_all(mut said: mpsc::Receiver<Incoming>, outbox: &Outbox, why: &str) {
    said.close();
    while let Ok(Incoming { ticket, .. }) = said.try_recv() {
        outbox.say(Outgoing::Refused { ticket, why: why.to_owned() });
    }
}

impl TaskHandle {
    fn send(self, incoming: Incoming) -> (Self, Result<(), TrySendError<Incoming>>) {
        let sent = self.incoming.try_send(incoming);
        (self, sent)
    }
}

/// The session `key` as its files have it.
fn session(mind: &Mind, key: SessionKey, from: Principal) -> Result<Session, TemplateError> {
    // Each has marks of its own around what comes in, so that none is known from another's prompt.
    let fence = Fence::new(uuid::Uuid::new_v4().as_u64_pair().0);
    let files = mind.workspace.session_files(&key);
    Ok(Session::new(key, from, files, Prompt::new(fence)?))
}
