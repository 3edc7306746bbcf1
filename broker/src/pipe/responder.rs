//! The router's end of the pipe.

use async_trait::async_trait;
use protocol::{Catalog, Code, Event, Frame, Millis, Stopped};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_util::sync::CancellationToken;

use super::lines::{self, FrameWriter, Line};
use crate::clock::Clock;
use crate::open::OpenCommands;
use crate::responder::{Ending, Publisher, Request, Responder};

/// How many commands may wait; more are answered `queue_full` at once.
const COMMANDS_WAITING: usize = 1_000;

/// The router's end of the pipe to its agent.
#[derive(Debug)]
pub struct PipeResponder {
    waiting: mpsc::Receiver<Request>,
    open: OpenCommands,
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
    let frames = FrameWriter::new(writer);
    let open = OpenCommands::default();
    let (commands, waiting) = mpsc::channel(COMMANDS_WAITING);
    let closing = shutdown.clone();
    let listener = Listener { commands, open: open.clone(), frames: frames.clone(), closing };
    tokio::spawn(listener.listen(BufReader::new(reader)));
    (PipeResponder { waiting, open, shutdown }, PipePublisher { frames, clock: Clock::default() })
}

#[async_trait]
impl Responder for PipeResponder {
    async fn receive(&mut self) -> Option<Request> {
        tokio::select! {
            biased;
            () = self.shutdown.cancelled() => None,
            request = self.waiting.recv() => request,
        }
    }

    fn closing(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    async fn drained(&mut self) {
        // Whatever still waits was never begun, and nobody will come back for it: say so.
        self.waiting.close();
        while let Some(request) = self.waiting.recv().await {
            request.put_back();
        }
        self.open.drained().await;
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

/// Reads the agent's frames until its end is closed.
struct Listener {
    commands: mpsc::Sender<Request>,
    open: OpenCommands,
    frames: FrameWriter,
    closing: CancellationToken,
}

impl Listener {
    async fn listen(self, mut reader: impl AsyncBufRead + Unpin) {
        while let Ok(Some(line)) = lines::next(&mut reader).await {
            match line {
                Line::Whole(line) => self.hear(&line),
                Line::TooLong => {
                    tracing::warn!(limit = lines::MAX_LINE, "a line from the agent is too long");
                }
            }
        }
        // Nobody waits for anything any more.
        self.closing.cancel();
    }

    fn hear(&self, line: &[u8]) {
        match serde_json::from_slice(line) {
            Ok(Frame::Command(raw)) => self.accept(raw.get().as_bytes()),
            Ok(Frame::Cancel(id)) => self.open.cancel(&id),
            Ok(_) => tracing::warn!("the agent sent a frame that only a router sends"),
            Err(error) => tracing::warn!(%error, "a line from the agent can't be read"),
        }
    }

    fn accept(&self, command: &[u8]) {
        let cancelled = CancellationToken::new();
        let (request, unanswered) = Request::open(command, 1, cancelled.clone());
        let frames = self.frames.clone();
        self.open.answer_with(unanswered, cancelled, move |ending| write(frames, ending));
        match self.commands.try_send(request) {
            Ok(()) => {}
            Err(TrySendError::Full(request)) => request.reply(Stopped::new(
                Code::QueueFull,
                format!("{COMMANDS_WAITING} commands are waiting already; try again later"),
            )),
            Err(TrySendError::Closed(request)) => request.put_back(),
        }
    }
}

async fn write(frames: FrameWriter, ending: Ending) {
    let text = match ending {
        Ending::Reply(reply) | Ending::PutBack(reply) => Value::Object(reply.fields).to_string(),
        Ending::Known(reply) => String::from_utf8_lossy(&reply).into_owned(),
    };
    if let Ok(raw) = RawValue::from_string(text) {
        // Without an agent there is nobody to answer.
        let _ = frames.write(Frame::Reply(raw)).await;
    }
}
