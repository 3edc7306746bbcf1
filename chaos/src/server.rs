//! The Redis that goes down and comes back. Going down takes a moment, so it is done beside everything else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use testkit::{RedisServer, RedisSetup};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// When what the server acknowledges reaches its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Fsync {
    /// Within a second.
    Everysec,
    /// Before it is acknowledged.
    Always,
}

/// A real server with its data on disk. Clones are the same one.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    server: Arc<Mutex<RedisServer>>,
    url: String,
}

impl Server {
    pub(crate) fn start(fsync: Fsync) -> Self {
        let setup = RedisSetup::default();
        let server = match fsync {
            Fsync::Everysec => setup.durable_each_second().start(),
            Fsync::Always => setup.durable().start(),
        };
        let url = server.url();
        Self { server: Arc::new(Mutex::new(server)), url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Ends it, in its own way or not, and starts it again after a while.
    pub(crate) async fn outage(&self, kill: bool, down: Duration) -> Result<()> {
        let server = self.server.clone();
        let end = move || if kill { lock(&server).kill() } else { lock(&server).terminate() };
        spawn_blocking(end).await?;
        sleep(down).await;
        let server = self.server.clone();
        Ok(spawn_blocking(move || lock(&server).restart()).await?)
    }
}

// Poisoned, a server is one that did not start again, which has been said by then.
fn lock(server: &Mutex<RedisServer>) -> MutexGuard<'_, RedisServer> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}
