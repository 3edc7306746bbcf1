//! The agent's end of the pipe.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{Catalog, Command, Frame, MessageId, Reply, SessionKey};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::hearing::Shared;
use super::keeper::{Keeper, Pipe, Starter};
use super::open::Letter;
use crate::requester::{Feed, RequestError, Requester, Subscriber, WAY_BACK};

/// The agent's end of the pipe to its router. Dropping it closes that end.
#[derive(Debug)]
pub struct PipeRequester {
    shared: Arc<Shared>,
    catalog: watch::Receiver<Option<Catalog>>,
    closing: CancellationToken,
}

impl PipeRequester {
    /// Talks to the router whose stdout is `reader` and whose stdin is `writer`; when that ends, nothing follows.
    /// Must be called within a tokio runtime.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let pipe = Pipe { from_router: Box::new(reader), to_router: Box::new(writer) };
        let (published, catalog) = watch::channel(None);
        let (shared, closing) = (Arc::new(Shared::default()), CancellationToken::new());
        let heard = Arc::clone(&shared);
        // Its end of `published` goes with the router.
        tokio::spawn(async move {
            heard.live(pipe, &published, None).await;
            heard.close();
        });
        Self { shared, catalog, closing }
    }

    /// Talks to the routers that `starter` starts: one that ends is followed by another, which is asked again for all
    /// that is open. One that can't start at all, or that ends 5 times within a minute, is followed by none. The task
    /// that is given beside ends once this requester is dropped and the last router has ended. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// When the first router can't be started.
    pub async fn keep(mut starter: impl Starter) -> io::Result<(Self, JoinHandle<()>)> {
        let pipe = starter.start().await?;
        let (published, catalog) = watch::channel(None);
        let (shared, closing) = (Arc::new(Shared::default()), CancellationToken::new());
        let keeper =
            Keeper { starter, shared: Arc::clone(&shared), published, closing: closing.clone() };
        // From here on what is asked goes down this pipe.
        let keeping = tokio::spawn(keeper.keep(pipe));
        Ok((Self { shared, catalog, closing }, keeping))
    }
}

impl Drop for PipeRequester {
    fn drop(&mut self) {
        self.closing.cancel();
        self.shared.close();
    }
}

#[async_trait]
impl Requester for PipeRequester {
    async fn request(&self, mut command: Command, wait: Duration) -> Result<Reply, RequestError> {
        let now = self.shared.clock.now();
        command.envelope.issued_at = Some(now);
        command.envelope.deadline = Some(now.after(wait.saturating_sub(WAY_BACK)));
        let waiting = self.shared.open.add(Letter::new(command)?)?;
        match tokio::time::timeout(wait, waiting.reply()).await {
            Ok(reply) => reply.ok_or(RequestError::RouterGone),
            Err(_) => Err(RequestError::NoReply { after: wait }),
        }
    }

    async fn cancel(&self, id: &MessageId) {
        // A router that is gone has nothing left to cancel, and the next one is not asked for it.
        if let Some(frames) = self.shared.open.way() {
            let _ = frames.write(Frame::Cancel(id.clone())).await;
        }
    }
}

#[async_trait]
impl Feed for PipeRequester {
    fn catalog(&self) -> watch::Receiver<Option<Catalog>> {
        self.catalog.clone()
    }

    async fn subscribe(&self, session: &SessionKey, subscriber: Box<dyn Subscriber>) {
        self.shared.open_session(session, subscriber);
    }
}
