//! What a router says on its own: its catalogue, and events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use protocol::sign::{About, Kind};
use protocol::{CATALOG_TTL_MS, Catalog, EVENTS_KEPT, EVENTS_TTL_MS, Event, Millis};
use redis::{AsyncCommands, RedisError};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::life::{Life, millis};
use super::link::BackOff;
use crate::responder::Publisher;

/// How often the catalogue is renewed: three times within its life.
const RENEW: Duration = Duration::from_millis(CATALOG_TTL_MS / 3);

/// Says on Redis what no command asked for.
#[derive(Clone)]
pub struct RedisPublisher {
    life: Arc<Life>,
    /// The catalogue to renew, as JSON.
    catalog: Arc<Mutex<Option<Vec<u8>>>>,
}

impl RedisPublisher {
    /// Renews what it publishes until `stop` is cancelled.
    pub(super) fn start(life: &Arc<Life>, stop: &CancellationToken) -> Self {
        let publisher = Self { life: Arc::clone(life), catalog: Arc::default() };
        let renewing = publisher.clone();
        tokio::spawn(stop.clone().run_until_cancelled_owned(async move { renewing.renew().await }));
        publisher
    }

    async fn renew(&self) {
        let mut back_off = BackOff::new();
        loop {
            match self.write_catalog().await {
                Ok(()) => {
                    back_off.reset();
                    sleep(RENEW).await;
                }
                Err(_) => back_off.pause().await,
            }
        }
    }

    async fn write_catalog(&self) -> Result<(), RedisError> {
        let Some(mut bytes) = lock(&self.catalog).clone() else { return Ok(()) };
        if let Some(keys) = &self.life.terms.keys {
            // An agent must be able to tell it from one that was true once.
            bytes.pop();
            bytes.extend_from_slice(format!(r#","issued_at":{}}}"#, self.now().0).as_bytes());
            bytes = keys.sign(&About::only(Kind::Catalog), bytes);
        }
        let key = self.life.keys.names.catalog();
        self.life.commands().pset_ex(key, bytes, CATALOG_TTL_MS).await
    }

    async fn push(&self, key: &str, event: &[u8]) -> Result<(), RedisError> {
        let keep = isize::try_from(EVENTS_KEPT).unwrap_or(isize::MAX);
        let mut pipeline = redis::pipe();
        pipeline.atomic().rpush(key, event).ignore();
        pipeline.ltrim(key, -keep, -1).ignore();
        pipeline.pexpire(key, EVENTS_TTL_MS.cast_signed()).ignore();
        pipeline.query_async(&mut self.life.commands()).await
    }
}

#[async_trait]
impl Publisher for RedisPublisher {
    async fn catalog(&self, catalog: &Catalog) {
        // Cards are plain data and always have a JSON form.
        *lock(&self.catalog) = Some(serde_json::to_vec(catalog).unwrap_or_default());
        if let Err(error) = self.write_catalog().await {
            tracing::debug!(error = self.life.address.explain(&error), "not published yet");
        }
    }

    async fn event(&self, event: &Event) {
        let key = self.life.keys.names.events(&event.session);
        let mut bytes = serde_json::to_vec(event).unwrap_or_default();
        if let Some(keys) = &self.life.terms.keys {
            bytes = keys.sign(&About::event(&event.session), bytes);
        }
        let mut back_off = BackOff::new();
        // An event may be all that tells how a command ended, so it is tried until it is there.
        while let Err(error) = self.push(&key, &bytes).await {
            self.life.say_down(&error);
            back_off.pause().await;
        }
    }

    fn now(&self) -> Millis {
        self.life.clock.now()
    }

    async fn routers(&self) -> u64 {
        let since = self.now().0.saturating_sub(millis(self.life.terms.dead_after));
        let alive = self.life.commands().zcount(&self.life.keys.routers, since, "+inf").await;
        // What can't be counted is this one at least.
        alive.unwrap_or(1)
    }
}

// A std mutex, because it is never held across an await. Poisoned, the bytes are still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
