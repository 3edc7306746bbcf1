//! The agent's end of the pipe.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use protocol::{Catalog, Command, Event, Frame, MessageId, Reply, SessionKey, json};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::{mpsc, oneshot, watch};

use super::lines::{self, FrameWriter, Line};
use crate::clock::Clock;
use crate::requester::{Feed, RequestError, Requester, WAY_BACK};

/// How many events may wait for a session that doesn't read them. More are dropped, the newest first.
const EVENTS_WAITING: usize = 1_000;

/// The agent's end of the pipe to its router.
#[derive(Debug)]
pub struct PipeRequester {
    frames: FrameWriter,
    heard: Arc<Heard>,
    catalog: watch::Receiver<Option<Catalog>>,
    clock: Clock,
}

/// Where the newest catalogue is shown.
type Published = watch::Sender<Option<Catalog>>;

/// What the reading task hands out.
#[derive(Debug, Default)]
struct Heard {
    waiting: Mutex<Waiting>,
    sessions: Mutex<HashMap<SessionKey, mpsc::Sender<Event>>>,
}

/// Who waits for which reply; `closed` once no reply can come any more.
#[derive(Debug, Default)]
struct Waiting {
    replies: HashMap<MessageId, oneshot::Sender<Reply>>,
    closed: bool,
}

impl PipeRequester {
    /// Talks to the router whose stdout is `reader` and whose stdin is `writer`. Must be called within a
    /// tokio runtime.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let heard = Arc::new(Heard::default());
        let listener = Arc::clone(&heard);
        let (published, catalog) = watch::channel(None);
        // Its end of `published` goes with the router.
        tokio::spawn(async move { listener.listen(BufReader::new(reader), &published).await });
        Self { frames: FrameWriter::new(writer), heard, catalog, clock: Clock::default() }
    }

    async fn send(&self, frame: Frame) -> Result<(), RequestError> {
        self.frames.write(frame).await.map_err(|_| RequestError::RouterGone)
    }
}

#[async_trait]
impl Requester for PipeRequester {
    async fn request(&self, mut command: Command, wait: Duration) -> Result<Reply, RequestError> {
        let now = self.clock.now();
        command.envelope.issued_at = Some(now);
        command.envelope.deadline = Some(now.after(wait.saturating_sub(WAY_BACK)));
        let raw = raw(&command)?;
        let reply = self.heard.expect(command.message_id.clone())?;
        // Whatever happens from here on, also when this future is dropped, nobody waits any more.
        let _forget = Forget { heard: &self.heard, id: &command.message_id };
        self.send(Frame::Command(raw)).await?;
        match tokio::time::timeout(wait, reply).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) => Err(RequestError::RouterGone),
            Err(_) => Err(RequestError::NoReply { after: wait }),
        }
    }

    async fn cancel(&self, id: &MessageId) {
        // A router that is gone has nothing left to cancel.
        let _ = self.send(Frame::Cancel(id.clone())).await;
    }
}

#[async_trait]
impl Feed for PipeRequester {
    fn catalog(&self) -> watch::Receiver<Option<Catalog>> {
        self.catalog.clone()
    }

    async fn events(&self, session: &SessionKey) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(EVENTS_WAITING);
        lock(&self.heard.sessions).insert(session.clone(), sender);
        receiver
    }
}

/// The command as raw JSON, if it is not too large.
fn raw(command: &Command) -> Result<Box<RawValue>, RequestError> {
    let bytes = command.to_bytes();
    if bytes.len() > json::MAX_BYTES {
        return Err(RequestError::TooLarge { size: bytes.len(), limit: json::MAX_BYTES });
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| RequestError::BadReply(json::JsonError::Syntax(error.to_string())))
}

struct Forget<'a> {
    heard: &'a Heard,
    id: &'a MessageId,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        lock(&self.heard.waiting).replies.remove(self.id);
    }
}

impl Heard {
    fn expect(&self, id: MessageId) -> Result<oneshot::Receiver<Reply>, RequestError> {
        let mut waiting = lock(&self.waiting);
        if waiting.closed {
            return Err(RequestError::RouterGone);
        }
        let (sender, receiver) = oneshot::channel();
        waiting.replies.insert(id, sender);
        Ok(receiver)
    }

    async fn listen(&self, mut reader: impl AsyncBufRead + Unpin, published: &Published) {
        while let Ok(Some(line)) = lines::next(&mut reader).await {
            match line {
                Line::Whole(line) => self.hear(&line, published),
                Line::TooLong => {
                    tracing::warn!(limit = lines::MAX_LINE, "a line from the router is too long");
                }
            }
        }
        let mut waiting = lock(&self.waiting);
        waiting.closed = true;
        waiting.replies.clear();
        lock(&self.sessions).clear();
    }

    fn hear(&self, line: &[u8], published: &Published) {
        match serde_json::from_slice(line) {
            Ok(Frame::Reply(raw)) => self.hand_over(&raw),
            Ok(Frame::Catalog(catalog)) => {
                published.send_replace(Some(catalog));
            }
            Ok(Frame::Event(event)) => {
                if let Some(session) = lock(&self.sessions).get(&event.session)
                    && session.try_send(event).is_err()
                {
                    tracing::warn!("an event is dropped: its session does not read");
                }
            }
            Ok(Frame::Command(_) | Frame::Cancel(_)) => {
                tracing::warn!("the router sent a frame that only an agent sends");
            }
            Err(error) => tracing::warn!(%error, "a line from the router can't be read"),
        }
    }

    fn hand_over(&self, raw: &RawValue) {
        let Ok(reply) = Reply::from_bytes(raw.get().as_bytes()) else {
            tracing::warn!("a reply from the router can't be read");
            return;
        };
        let waiting =
            reply.message_id.as_ref().and_then(|id| lock(&self.waiting).replies.remove(id));
        if let Some(waiting) = waiting {
            // Whoever waited may just have given up.
            let _ = waiting.send(reply);
        }
    }
}

// Std mutexes, because they are never held across an await. Poisoned, the maps are still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
