//! The agent's half: ask, take back, and hear what the router says on its own.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{Catalog, Command, Event, MessageId, Reply, SessionKey};
use tokio::sync::{mpsc, watch};

/// How long before its sender gives up a command counts as late, so that the word on it still arrives.
pub(crate) const WAY_BACK: Duration = Duration::from_millis(100);

/// Puts commands on the queue and waits for their replies.
#[async_trait]
pub trait Requester: Send + Sync {
    /// Sends `command` and waits for its reply, at most `wait`. The transport stamps `issued_at` and
    /// `deadline` by its own clock.
    ///
    /// # Errors
    /// [`RequestError`]; only [`RequestError::Unsent`], [`RequestError::Full`] and [`RequestError::TooLarge`]
    /// say that the command surely was not run.
    async fn request(&self, command: Command, wait: Duration) -> Result<Reply, RequestError>;

    /// Says that nobody waits for this command any more. It is a hint: it may come too late.
    async fn cancel(&self, id: &MessageId);
}

/// What the router says on its own.
#[async_trait]
pub trait Feed: Send + Sync {
    /// The newest catalogue; `None` until a router has published one. It closes when no router can any more.
    fn catalog(&self) -> watch::Receiver<Option<Catalog>>;

    /// Tells `subscriber` the events of `session`, from now on and, where the transport keeps them, from before.
    async fn subscribe(&self, session: &SessionKey, subscriber: Box<dyn Subscriber>);

    /// The same events, for whoever reads them later.
    async fn events(&self, session: &SessionKey) -> mpsc::UnboundedReceiver<Event> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.subscribe(session, Box::new(sender)).await;
        receiver
    }
}

/// Hears what the router says to one session.
pub trait Subscriber: Debug + Send + Sync {
    /// Takes one event in. It must not wait: on a pipe what comes behind the event is heard only afterwards.
    fn hear(&self, event: Event);

    /// Whether nobody is there any more.
    fn has_left(&self) -> bool;
}

impl Subscriber for mpsc::UnboundedSender<Event> {
    fn hear(&self, event: Event) {
        // Without a reader nobody wants it.
        let _ = self.send(event);
    }

    fn has_left(&self) -> bool {
        self.is_closed()
    }
}

/// Why a command has no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// It did not get as far as the queue.
    #[error("the queue at {address} can't be reached ({reason})")]
    Unsent {
        /// Where the queue should be, without a password.
        address: String,
        /// What the attempt said.
        reason: String,
    },
    /// The queue did not say whether it took the command.
    #[error("the queue at {address} does not answer ({reason}); the command may have arrived")]
    Uncertain {
        /// Where the queue is, without a password.
        address: String,
        /// What the attempt said.
        reason: String,
    },
    /// Too many commands wait already; it was not sent.
    #[error("{waiting} commands wait already; try again later, or start another router")]
    Full {
        /// How many wait.
        waiting: usize,
    },
    /// It is larger than a command may be; it was not sent.
    #[error("the command has {size} bytes, over the limit of {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// No reply came in time.
    #[error("no reply within {} s; is a router running?", after.as_secs_f32())]
    NoReply {
        /// How long it was waited for.
        after: Duration,
    },
    /// The router's end of the pipe is closed.
    #[error("the router has ended; start SafeClaw again")]
    RouterGone,
    /// A reply came that can't be read.
    #[error("the reply can't be read: {0}")]
    BadReply(#[from] protocol::json::JsonError),
}
