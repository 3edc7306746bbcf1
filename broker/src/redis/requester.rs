//! The agent's end on Redis.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use protocol::sign::{Keys, LIFE_MOST_MS};
use protocol::{Catalog, Command, MessageId, QueueNames, Reply, SessionKey};
use redis::{AsyncCommands, RedisError};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::control;
use super::link::{BLOCK, Connection, RedisAddress};
use crate::clock::Clock;
use crate::requester::{Feed, RequestError, Requester, Subscriber, WAY_BACK};

/// How many connections are kept for later when nobody reads on them.
const IDLE: usize = 16;

/// The agent's end on Redis. Dropping it ends its background tasks.
#[derive(Debug)]
pub struct RedisRequester {
    shared: Arc<Shared>,
    catalog: watch::Receiver<Option<Catalog>>,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

/// What the parts of an agent's end share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) address: RedisAddress,
    pub(super) names: QueueNames,
    pub(super) commands: Connection,
    /// Connections for blocking reads that nobody uses at the moment.
    idle: Mutex<Vec<Connection>>,
    pub(super) clock: Clock,
    pub(super) keys: Option<Arc<Keys>>,
}

impl RedisRequester {
    /// Talks to the routers that share these names at this address. Nothing is connected yet: a Redis
    /// that is down is an error of each request, not of the start. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Words on an address that can't be used at all.
    pub fn new(address: RedisAddress, names: QueueNames) -> Result<Self, String> {
        Self::signing(address, names, None)
    }

    /// The same for an agent that signs with `keys`, and then believes nothing that is not signed: a reply, an event or a
    /// catalogue that is not is as if it had not come.
    ///
    /// # Errors
    /// As [`RedisRequester::new`].
    pub fn signing(
        address: RedisAddress,
        names: QueueNames,
        keys: Option<Arc<Keys>>,
    ) -> Result<Self, String> {
        let commands = address.commands().map_err(|error| address.explain(&error))?;
        let idle = Mutex::default();
        let clock = Clock::default();
        let shared = Shared { address, names, commands, idle, clock, keys };
        let (shared, stop) = (Arc::new(shared), CancellationToken::new());
        let (sender, catalog) = watch::channel(None);
        let look = Arc::clone(&shared).look_at_catalog(sender);
        tokio::spawn(stop.clone().run_until_cancelled_owned(look));
        Ok(Self { shared, catalog, _stop_on_drop: stop.clone().drop_guard(), stop })
    }
}

#[async_trait]
impl Requester for RedisRequester {
    async fn request(&self, mut command: Command, wait: Duration) -> Result<Reply, RequestError> {
        let until = Instant::now() + wait;
        let now = self.shared.clock.now();
        command.envelope.issued_at = Some(now);
        command.envelope.deadline = Some(now.after(self.shared.life(wait)));
        let ours = self.catalog.borrow().is_some();
        let sent = self.shared.sent(command, ours)?;
        let broken = self.shared.push(&sent, until).await?;
        let reply = self.shared.pop_reply(&sent, broken, until).await?;
        reply.ok_or(RequestError::NoReply { after: wait })
    }

    async fn cancel(&self, id: &MessageId) {
        // Only a router of this version reads the list; for another one it would grow for ever.
        if self.catalog.borrow().is_none() {
            return;
        }
        let Shared { address, names, keys, clock, .. } = &*self.shared;
        let cancel = control::word(id, keys.as_deref(), clock.now());
        let mut commands = self.shared.commands.clone();
        if let Err(error) = commands.lpush::<_, _, ()>(names.control(), cancel).await {
            tracing::warn!(error = address.explain(&error), "can't cancel {id}");
        }
    }
}

#[async_trait]
impl Feed for RedisRequester {
    fn catalog(&self) -> watch::Receiver<Option<Catalog>> {
        self.catalog.clone()
    }

    async fn subscribe(&self, session: &SessionKey, subscriber: Box<dyn Subscriber>) {
        let read = Arc::clone(&self.shared).read_events(session.clone(), subscriber);
        tokio::spawn(self.stop.clone().run_until_cancelled_owned(read));
    }
}

impl Shared {
    /// How long a command may be begun that is waited for so long. What is signed is not good for longer than half an hour.
    fn life(&self, wait: Duration) -> Duration {
        let life = wait.saturating_sub(WAY_BACK);
        if self.keys.is_some() { life.min(Duration::from_millis(LIFE_MOST_MS)) } else { life }
    }

    /// The oldest element of a list, which is waited for for a while.
    pub(super) async fn pop_once(&self, key: &str) -> Result<Option<Vec<u8>>, RedisError> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.address.blocking().await?,
        };
        let popped: Option<(Vec<u8>, Vec<u8>)> = connection.blpop(key, BLOCK.as_secs_f64()).await?;
        // Only a connection that has answered is used again: one that is dropped in the middle of a read
        // may still hold it at the server.
        let mut idle = lock(&self.idle);
        if idle.len() < IDLE {
            idle.push(connection);
        }
        drop(idle);
        Ok(popped.map(|(_, bytes)| bytes))
    }
}

// A std mutex, because it is never held across an await. Poisoned, the list is still whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
