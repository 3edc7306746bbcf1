//! Keeps a router alive for an agent: one that ends is followed by another.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::deaths::{Deaths, Ended, Next};
use super::hearing::{Published, Shared};

/// What people are told when a router has been replaced.
const STARTED_AGAIN: &str = "the router ended; started again";

/// Starts routers, one at a time.
#[async_trait]
pub trait Starter: Send + 'static {
    /// Starts one, and gives the agent's end of the pipe to it.
    ///
    /// # Errors
    /// When the system can't start it.
    async fn start(&mut self) -> io::Result<Pipe>;

    /// Says how the one that was started last has ended. Its end of the pipe is closed: one that lives on is of no
    /// use any more, and must not live beside the next.
    async fn ended(&mut self) -> Ended;
}

/// The agent's end of a pipe to a router.
pub struct Pipe {
    /// What the router prints.
    pub from_router: Box<dyn AsyncRead + Send + Unpin>,
    /// What the router reads.
    pub to_router: Box<dyn AsyncWrite + Send + Unpin>,
}

/// Whoever starts the next router.
pub(super) struct Keeper<S> {
    pub(super) starter: S,
    pub(super) shared: Arc<Shared>,
    /// Goes with the keeper: then no catalogue can come any more.
    pub(super) published: Published,
    /// Cancelled when nobody asks any more.
    pub(super) closing: CancellationToken,
}

impl<S: Starter> Keeper<S> {
    /// Lives with the router at `pipe`, and with each one that follows it, until nobody asks any more or there is
    /// no sense in another one.
    pub(super) async fn keep(mut self, pipe: Pipe) {
        let (mut deaths, mut started, mut greeting) = (Deaths::default(), Ok(pipe), None);
        loop {
            let (ended, has_published) = self.live(started, greeting).await;
            if self.closing.is_cancelled() {
                return;
            }
            match deaths.count(ended, has_published, Instant::now()) {
                Next::GiveUp(why) => break self.shared.tell(&format!("no router any more: {why}")),
                Next::StartAgain(pause) => {
                    tracing::info!("the router has ended; the next one starts in {pause:?}");
                    let pause = self.closing.run_until_cancelled(sleep(pause));
                    let Some(()) = pause.await else { return };
                }
            }
            started = self.starter.start().await;
            greeting = Some(STARTED_AGAIN);
        }
        self.shared.close();
    }

    /// Lives with one router; says how that ended, and whether it had published a catalogue.
    async fn live(&mut self, started: io::Result<Pipe>, greeting: Option<&str>) -> (Ended, bool) {
        match started {
            Ok(pipe) => {
                let has_published = self.shared.live(pipe, &self.published, greeting).await;
                (self.starter.ended().await, has_published)
            }
            Err(error) => {
                tracing::warn!(%error, "the router can't be started");
                (Ended::Killed, false)
            }
        }
    }
}
