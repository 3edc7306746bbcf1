//! The agent's end on Redis.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use protocol::{Catalog, Command, Event, MessageId, QueueNames, Reply, SessionKey, json};
use redis::{AsyncCommands, RedisError};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::link::{BLOCK, BackOff, Connection, RedisAddress, read_clock};
use crate::clock::Clock;
use crate::requester::{Feed, RequestError, Requester};

/// How often the catalogue is looked at: a skill that is dropped in is seen within two seconds.
const LOOK: Duration = Duration::from_millis(750);

/// How many events may wait for a session that doesn't read them.
const EVENTS_WAITING: usize = 1_000;

/// The agent's end on Redis. Dropping it ends its background tasks.
#[derive(Debug)]
pub struct RedisRequester {
    shared: Arc<Shared>,
    catalog: watch::Receiver<Option<Catalog>>,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

#[derive(Debug)]
struct Shared {
    address: RedisAddress,
    names: QueueNames,
    commands: Connection,
    /// Connections for waiting for replies that nobody uses at the moment.
    idle: Mutex<Vec<Connection>>,
    clock: Clock,
}

impl RedisRequester {
    /// Talks to the routers that share these names at this address. Nothing is connected yet: a Redis
    /// that is down is an error of each request, not of the start. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Words on an address that can't be used at all.
    pub fn new(address: RedisAddress, names: QueueNames) -> Result<Self, String> {
        let commands = address.commands().map_err(|error| address.explain(&error))?;
        let idle = Mutex::default();
        let shared = Shared { address, names, commands, idle, clock: Clock::default() };
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
        command.envelope.deadline = Some(now.after(wait));
        self.shared.push(&command).await?;
        let reply =
            tokio::time::timeout_at(until, self.shared.pop_reply(&command.message_id)).await;
        reply.map_err(|_| RequestError::NoReply { after: wait })?
    }

    async fn cancel(&self, id: &MessageId) {
        // Only a router of this version reads the list; for another one it would grow for ever.
        if self.catalog.borrow().is_none() {
            return;
        }
        let cancel = serde_json::json!({ "cancel": id }).to_string();
        let mut commands = self.shared.commands.clone();
        if let Err(error) = commands.lpush::<_, _, ()>(self.shared.names.control(), cancel).await {
            tracing::warn!(error = self.shared.address.explain(&error), "can't cancel {id}");
        }
    }
}

#[async_trait]
impl Feed for RedisRequester {
    fn catalog(&self) -> watch::Receiver<Option<Catalog>> {
        self.catalog.clone()
    }

    async fn events(&self, session: &SessionKey) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(EVENTS_WAITING);
        let key = self.shared.names.events(session);
        let read = Arc::clone(&self.shared).read_events(key, sender);
        tokio::spawn(self.stop.clone().run_until_cancelled_owned(read));
        receiver
    }
}

impl Shared {
    /// What a push that failed means: a server that refused, or was never reached, has taken nothing; of
    /// any other failure nobody knows.
    fn not_pushed(&self, error: &RedisError) -> RequestError {
        let (address, reason) = (self.address.shown().to_owned(), self.address.explain(error));
        if error.is_connection_refusal() || error.code().is_some() {
            RequestError::Unsent { address, reason }
        } else {
            RequestError::Uncertain { address, reason }
        }
    }

    async fn push(&self, command: &Command) -> Result<(), RequestError> {
        let bytes = command.to_bytes();
        if bytes.len() > json::MAX_BYTES {
            return Err(RequestError::TooLarge { size: bytes.len(), limit: json::MAX_BYTES });
        }
        let mut commands = self.commands.clone();
        let pushed = commands.lpush::<_, _, ()>(self.names.commands(), bytes).await;
        pushed.map_err(|error| self.not_pushed(&error))
    }

    /// Waits for the reply, through as many broken connections as it takes.
    async fn pop_reply(&self, id: &MessageId) -> Result<Reply, RequestError> {
        let key = self.names.reply(id);
        let mut back_off = BackOff::new();
        loop {
            match self.pop_once(&key).await {
                Ok(Some(bytes)) => return Ok(Reply::from_bytes(&bytes)?),
                Ok(None) => back_off.reset(),
                Err(error) => {
                    tracing::debug!(error = self.address.explain(&error), "waiting for a reply");
                    back_off.pause().await;
                }
            }
        }
    }

    async fn pop_once(&self, key: &str) -> Result<Option<Vec<u8>>, RedisError> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.address.blocking().await?,
        };
        let popped: Option<(Vec<u8>, Vec<u8>)> = connection.blpop(key, BLOCK.as_secs_f64()).await?;
        // Only a connection that has answered is used again: one that is dropped in the middle of a read
        // may still hold it at the server.
        lock(&self.idle).push(connection);
        Ok(popped.map(|(_, bytes)| bytes))
    }

    async fn look_at_catalog(self: Arc<Self>, sender: watch::Sender<Option<Catalog>>) {
        let mut commands = self.commands.clone();
        let mut looks: u32 = 0;
        loop {
            // The clocks of two machines drift slowly: once a minute is often enough.
            if looks.is_multiple_of(80) && read_clock(&mut commands, &self.clock).await.is_err() {
                looks = 0;
                tokio::time::sleep(LOOK).await;
                continue;
            }
            looks = looks.wrapping_add(1);
            if let Ok(published) = commands.get::<_, Option<Vec<u8>>>(self.names.catalog()).await {
                let catalog = published.and_then(|bytes| serde_json::from_slice(&bytes).ok());
                sender.send_if_modified(|known: &mut Option<Catalog>| {
                    let changed = *known != catalog;
                    *known = catalog;
                    changed
                });
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn read_events(self: Arc<Self>, key: String, sender: mpsc::Sender<Event>) {
        let mut back_off = BackOff::new();
        while !sender.is_closed() {
            match self.pop_once(&key).await {
                Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
                    Ok(event) => {
                        let _ = sender.send(event).await;
                    }
                    Err(error) => tracing::warn!(%error, "an event can't be read"),
                },
                Ok(None) => back_off.reset(),
                Err(_) => back_off.pause().await,
            }
        }
    }
}

// A std mutex, because it is never held across an await. Poisoned, the list is still whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
