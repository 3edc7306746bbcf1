//! The router's end of the pipe.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use protocol::{Catalog, Event, Frame, MessageId, Millis};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::intake::{Intake, Next, Waiting};
use super::lines::{self, FrameWriter, Line};
use crate::clock::Clock;
use crate::responder::{Begins, Ending, Publisher, Request, Responder};

/// The router's end of the pipe to its agent.
#[derive(Debug)]
pub struct PipeResponder {
    shared: Arc<Shared>,
    shutdown: CancellationToken,
}

/// Says on the pipe what no command asked for.
#[derive(Debug, Clone)]
pub struct PipePublisher {
    frames: FrameWriter,
    clock: Clock,
}

/// The router's end of a pipe whose commands come from `reader` and whose replies go to `writer`.
///
/// It closes when `shutdown` is cancelled, which it is when the agent closes its end. Must be called within a tokio
/// runtime.
pub fn responder(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    shutdown: CancellationToken,
) -> (PipeResponder, PipePublisher) {
    let (frames, clock) = (FrameWriter::new(writer), Clock::default());
    let shared = Arc::new(Shared {
        intake: Mutex::default(),
        arrived: Notify::new(),
        frames: frames.clone(),
        clock: clock.clone(),
        tasks: TaskTracker::new(),
    });
    let (listener, closing) = (Arc::clone(&shared), shutdown.clone());
    tokio::spawn(async move {
        listener.listen(BufReader::new(reader)).await;
        // Nobody waits for anything any more.
        closing.cancel();
    });
    (PipeResponder { shared, shutdown }, PipePublisher { frames, clock })
}

#[async_trait]
impl Responder for PipeResponder {
    async fn receive(&mut self) -> Option<Request> {
        while !self.shutdown.is_cancelled() {
            if let Some(request) = self.shared.next(Intake::take) {
                return Some(request);
            }
            tokio::select! {
                () = self.shutdown.cancelled() => {}
                () = self.shared.arrived.notified() => {}
            }
        }
        None
    }

    async fn receive_own(&mut self) -> Request {
        loop {
            if let Some(request) = self.shared.next(Intake::take_own) {
                return request;
            }
            self.shared.arrived.notified().await;
        }
    }

    fn closing(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    async fn drained(&mut self) {
        let unbegun = self.shared.intake().close(Instant::now());
        for reply in unbegun {
            self.shared.write(reply).await;
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        self.shared.tasks.reopen();
    }
}

#[async_trait]
impl Publisher for PipePublisher {
    async fn catalog(&self, catalog: &Catalog) {
        // Without an agent there is nobody to tell.
        let _ = self.frames.write(Frame::Catalog(catalog.clone())).await;
    }

    async fn event(&self, event: &Event) {
        let _ = self.frames.write(Frame::Event(event.clone())).await;
    }

    fn now(&self) -> Millis {
        self.clock.now()
    }
}

/// What tells the agent that a command begins. What stands on the pipe is read also when its router has ended.
#[derive(Debug)]
struct Announced {
    id: MessageId,
    frames: FrameWriter,
}

#[async_trait]
impl Begins for Announced {
    async fn begins(&self) -> bool {
        // Without an agent there is nobody who would have it done.
        self.frames.write(Frame::Begins(self.id.clone())).await.is_ok()
    }
}

/// What the parts of a router's end share.
#[derive(Debug)]
struct Shared {
    intake: Mutex<Intake>,
    /// Rings when there may be something to hand over.
    arrived: Notify,
    frames: FrameWriter,
    clock: Clock,
    /// Those that wait for the router's answers and write them.
    tasks: TaskTracker,
}

impl Shared {
    /// Reads the agent's frames until its end is closed.
    async fn listen(&self, mut reader: impl AsyncBufRead + Unpin) {
        while let Ok(Some(line)) = lines::next(&mut reader).await {
            let answer = match line {
                Line::Whole(line) => self.hear(&line),
                Line::TooLong => {
                    tracing::warn!(limit = lines::MAX_LINE, "a line from the agent is too long");
                    None
                }
            };
            // An agent that does not read what it is told is not read either.
            if let Some(reply) = answer {
                self.write(reply).await;
            }
        }
    }

    /// Takes in one frame, and gives the reply where there is one already.
    fn hear(&self, line: &[u8]) -> Option<Box<RawValue>> {
        match serde_json::from_slice(line) {
            Ok(Frame::Command(command)) => {
                let answer = self.intake().accept(command, Instant::now());
                self.arrived.notify_one();
                return answer;
            }
            Ok(Frame::Unbegun(command)) => {
                let answer = self.intake().accept_unbegun(command, Instant::now());
                self.arrived.notify_one();
                return answer;
            }
            Ok(Frame::Cancel(id)) => return self.intake().cancel(&id, Instant::now()),
            Ok(_) => tracing::warn!("the agent sent a frame that only a router sends"),
            Err(error) => tracing::warn!(%error, "a line from the agent can't be read"),
        }
        None
    }

    /// The next command to run, by what takes it. Those whose time is over are answered on the way.
    fn next(
        self: &Arc<Self>,
        take: impl Fn(&mut Intake, Millis, Instant) -> Option<Next>,
    ) -> Option<Request> {
        loop {
            let next = take(&mut self.intake(), self.clock.now(), Instant::now())?;
            match next {
                Next::Run(waiting, cancelled) => return Some(self.hand_over(waiting, cancelled)),
                Next::Late(None) => {}
                Next::Late(Some(reply)) => {
                    let this = Arc::clone(self);
                    self.tasks.spawn(async move { this.write(reply).await });
                }
            }
        }
    }

    /// Makes a request of a command, and answers it with what becomes of that.
    fn hand_over(self: &Arc<Self>, waiting: Waiting, cancelled: CancellationToken) -> Request {
        let bytes = waiting.command.get().as_bytes();
        let begins = waiting.label.id.clone().map(|id| -> Box<dyn Begins> {
            Box::new(Announced { id, frames: self.frames.clone() })
        });
        let (request, unanswered) = Request::open(bytes, waiting.past(), begins, cancelled);
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            if let Some(reply) = this.end(waiting, unanswered.ending().await) {
                this.write(reply).await;
            }
        });
        request
    }

    fn end(&self, waiting: Waiting, ending: Ending) -> Option<Box<RawValue>> {
        match ending {
            Ending::Reply(reply) => self.intake().end(&waiting.label, &reply, Instant::now()),
            Ending::PutBack { draining, .. } => {
                let answer = self.intake().put_back(waiting, &draining, Instant::now());
                self.arrived.notify_one();
                answer
            }
            // Only what stands on a server is answered with bytes from there.
            Ending::Known(_) => None,
        }
    }

    async fn write(&self, reply: Box<RawValue>) {
        // Without an agent there is nobody to answer.
        let _ = self.frames.write(Frame::Reply(reply)).await;
    }

    // A std mutex, because it is never held across an await. Poisoned, what it holds is still whole.
    fn intake(&self) -> MutexGuard<'_, Intake> {
        self.intake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
