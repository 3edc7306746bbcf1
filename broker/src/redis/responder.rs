//! The router's end on Redis.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use protocol::{
    CATALOG_TTL_MS, Catalog, EVENTS_KEPT, EVENTS_TTL_MS, Event, MessageId, Millis, QueueNames,
    REPLY_TTL_MS, Reply,
};
use redis::{AsyncCommands, RedisError};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::link::{BLOCK, BackOff, Connection, RedisAddress, read_clock};
use crate::clock::Clock;
use crate::open::OpenCommands;
use crate::responder::{Publisher, Request, Responder};

/// How often the catalogue is renewed: three times within its life.
const RENEW: Duration = Duration::from_millis(CATALOG_TTL_MS / 3);

/// The router's end on Redis. Dropping it ends its background tasks.
#[derive(Debug)]
pub struct RedisResponder {
    shared: Arc<Shared>,
    connection: Option<Connection>,
    shutdown: CancellationToken,
    _stop_on_drop: DropGuard,
}

/// Says on Redis what no command asked for.
#[derive(Debug, Clone)]
pub struct RedisPublisher {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    address: RedisAddress,
    names: QueueNames,
    commands: Connection,
    open: OpenCommands,
    /// The catalogue to renew, as JSON.
    catalog: Mutex<Option<Vec<u8>>>,
    clock: Clock,
}

/// The router's end on the Redis at `address`. It closes when `shutdown` is cancelled. A Redis that is
/// down is waited for. Must be called within a tokio runtime.
///
/// # Errors
/// Words on an address that can't be used at all.
pub fn responder(
    address: RedisAddress,
    names: QueueNames,
    shutdown: CancellationToken,
) -> Result<(RedisResponder, RedisPublisher), String> {
    let commands = address.commands().map_err(|error| address.explain(&error))?;
    let open = OpenCommands::default();
    let (catalog, clock) = (Mutex::default(), Clock::default());
    let shared = Arc::new(Shared { address, names, commands, open, catalog, clock });
    let stop = CancellationToken::new();
    tokio::spawn(stop.clone().run_until_cancelled_owned(Arc::clone(&shared).read_control()));
    tokio::spawn(stop.clone().run_until_cancelled_owned(Arc::clone(&shared).renew_catalog()));
    let publisher = RedisPublisher { shared: Arc::clone(&shared) };
    let _stop_on_drop = stop.drop_guard();
    Ok((RedisResponder { shared, connection: None, shutdown, _stop_on_drop }, publisher))
}

#[async_trait]
impl Responder for RedisResponder {
    async fn receive(&mut self) -> Option<Request> {
        let mut back_off = BackOff::new();
        // The token is looked at between reads, never during one: a read that is given up in the middle
        // may pop a command for nobody.
        while !self.shutdown.is_cancelled() {
            match self.pop().await {
                Ok(Some(bytes)) => return Some(self.shared.accept(&bytes)),
                Ok(None) => back_off.reset(),
                Err(error) => {
                    self.connection = None;
                    if back_off.is_fresh() {
                        tracing::warn!(
                            error = self.shared.address.explain(&error),
                            "waiting for Redis"
                        );
                    }
                    back_off.pause().await;
                }
            }
        }
        None
    }

    fn closing(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    async fn drained(&mut self) {
        self.shared.open.drained().await;
    }
}

impl RedisResponder {
    async fn pop(&mut self) -> Result<Option<Vec<u8>>, RedisError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => {
                let mut connection = self.shared.address.blocking().await?;
                // Deadlines are judged by the server's clock, so that comes before the first command.
                read_clock(&mut connection, &self.shared.clock).await?;
                self.connection.insert(connection)
            }
        };
        let popped: Option<(Vec<u8>, Vec<u8>)> =
            connection.brpop(self.shared.names.commands(), BLOCK.as_secs_f64()).await?;
        Ok(popped.map(|(_, bytes)| bytes))
    }
}

#[async_trait]
impl Publisher for RedisPublisher {
    async fn catalog(&self, catalog: &Catalog) {
        // Cards are plain data and always have a JSON form.
        let bytes = serde_json::to_vec(catalog).unwrap_or_default();
        *lock(&self.shared.catalog) = Some(bytes);
        self.shared.write_catalog().await;
    }

    async fn event(&self, event: &Event) {
        let key = self.shared.names.events(&event.session);
        let bytes = serde_json::to_vec(event).unwrap_or_default();
        let mut commands = self.shared.commands.clone();
        let keep = isize::try_from(EVENTS_KEPT).unwrap_or(isize::MAX);
        let mut pipeline = redis::pipe();
        pipeline.atomic().rpush(&key, bytes).ignore();
        pipeline.ltrim(&key, -keep, -1).ignore();
        pipeline.pexpire(&key, EVENTS_TTL_MS.cast_signed()).ignore();
        if let Err(error) = pipeline.query_async::<()>(&mut commands).await {
            tracing::error!(error = self.shared.address.explain(&error), "an event is lost");
        }
    }

    fn now(&self) -> Millis {
        self.shared.clock.now()
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, bytes: &[u8]) -> Request {
        let (request, unanswered) = Request::open(bytes);
        let this = Arc::clone(self);
        self.open.answer_with(unanswered, move |reply| async move { this.write(reply).await });
        request
    }

    /// Writes a reply, again and again while the agent may still wait for it.
    async fn write(&self, reply: Reply) {
        let Some(id) = &reply.message_id else { return };
        let (key, bytes) = (self.names.reply(id), reply.to_bytes());
        let mut back_off = BackOff::new();
        let attempts = async {
            while let Err(error) = self.write_once(&key, &bytes).await {
                tracing::warn!(error = self.address.explain(&error), %id, "can't write a reply yet");
                back_off.pause().await;
            }
        };
        if tokio::time::timeout(Duration::from_millis(REPLY_TTL_MS), attempts).await.is_err() {
            tracing::error!(%id, "a reply could not be written in time and is lost");
        }
    }

    async fn write_once(&self, key: &str, bytes: &[u8]) -> Result<(), RedisError> {
        let mut commands = self.commands.clone();
        let mut pipeline = redis::pipe();
        pipeline.atomic().lpush(key, bytes).ignore();
        pipeline.pexpire(key, REPLY_TTL_MS.cast_signed()).ignore();
        pipeline.query_async(&mut commands).await
    }

    async fn write_catalog(&self) {
        let Some(bytes) = lock(&self.catalog).clone() else { return };
        let mut commands = self.commands.clone();
        let set = commands.pset_ex::<_, _, ()>(self.names.catalog(), bytes, CATALOG_TTL_MS).await;
        if let Err(error) = set {
            tracing::debug!(
                error = self.address.explain(&error),
                "can't publish the catalogue yet"
            );
        }
    }

    async fn renew_catalog(self: Arc<Self>) {
        let mut commands = self.commands.clone();
        let mut back_off = BackOff::new();
        loop {
            if read_clock(&mut commands, &self.clock).await.is_err() {
                back_off.pause().await;
                continue;
            }
            back_off.reset();
            self.write_catalog().await;
            tokio::time::sleep(RENEW).await;
        }
    }

    /// Reads what agents take back.
    async fn read_control(self: Arc<Self>) {
        let key = self.names.control();
        let mut back_off = BackOff::new();
        loop {
            let Ok(mut connection) = self.address.blocking().await else {
                back_off.pause().await;
                continue;
            };
            back_off.reset();
            while let Ok(popped) =
                connection.brpop::<_, Option<(Vec<u8>, Vec<u8>)>>(&key, BLOCK.as_secs_f64()).await
            {
                if let Some(id) = popped.and_then(|(_, bytes)| cancelled_id(&bytes)) {
                    self.open.cancel(&id);
                }
            }
            back_off.pause().await;
        }
    }
}

/// The id in `{"cancel": id}`.
fn cancelled_id(bytes: &[u8]) -> Option<MessageId> {
    let mut object = protocol::json::parse_object(bytes).ok()?;
    serde_json::from_value(object.remove("cancel")?).ok()
}

// A std mutex, because it is never held across an await. Poisoned, the bytes are still whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
