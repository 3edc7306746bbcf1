//! The router's half: take a command, answer it, and say things on its own.

use async_trait::async_trait;
use protocol::{
    Catalog, Code, Command, Event, Malformed, MessageId, Millis, Outcome, Reply, Stopped,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Takes commands from the queue.
#[async_trait]
pub trait Responder: Send {
    /// The next command, in the order in which they were sent; `None` once this end is closing.
    ///
    /// Call it only when there is room to serve a command: what it has handed over has left the queue.
    async fn receive(&mut self) -> Option<Request>;

    /// Is cancelled when no further command will come.
    fn closing(&self) -> CancellationToken;

    /// Waits until every reply to what was received has been written.
    async fn drained(&mut self);
}

/// Says things that no command asked for.
#[async_trait]
pub trait Publisher: Send + Sync {
    /// Makes `catalog` the one that agents see.
    async fn catalog(&self, catalog: &Catalog);

    /// Sends `event` to its session.
    async fn event(&self, event: &Event);

    /// The time by the broker's clock.
    fn now(&self) -> Millis;
}

/// One command on the router's side. Exactly one answer follows: replying consumes the request, and a
/// request that is dropped without a reply is answered `internal`.
#[derive(Debug)]
pub struct Request {
    body: Result<Command, Malformed>,
    cancelled: CancellationToken,
    answer: oneshot::Sender<Outcome>,
}

impl Request {
    /// The command, or what could be read of bytes that are none.
    ///
    /// # Errors
    /// [`Malformed`] holds the outcome to reply with.
    pub fn command(&self) -> Result<&Command, &Malformed> {
        self.body.as_ref()
    }

    /// Is cancelled when the agent takes the command back.
    #[must_use]
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Answers with `outcome`.
    pub fn reply(self, outcome: impl Into<Outcome>) {
        // The other end is gone only when the whole transport is, and then nobody can be told.
        let _ = self.answer.send(outcome.into());
    }

    /// Makes a request of the bytes on the wire, and the transport's end of it.
    pub(crate) fn open(bytes: &[u8]) -> (Self, Unanswered) {
        let body = Command::from_bytes(bytes);
        let (message_id, action) = match &body {
            Ok(command) => (Some(command.message_id.clone()), command.action.to_string()),
            Err(malformed) => (malformed.message_id.clone(), malformed.action.clone()),
        };
        let cancelled = CancellationToken::new();
        let (answer, outcome) = oneshot::channel();
        let unanswered = Unanswered { message_id, action, cancelled: cancelled.clone(), outcome };
        (Self { body, cancelled, answer }, unanswered)
    }
}

/// The transport's end of a [`Request`].
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) message_id: Option<MessageId>,
    pub(crate) cancelled: CancellationToken,
    action: String,
    outcome: oneshot::Receiver<Outcome>,
}

impl Unanswered {
    /// Waits for the router's word and puts it into a reply.
    pub(crate) async fn reply(self) -> Reply {
        let outcome = self.outcome.await.unwrap_or_else(|_| {
            Stopped::new(Code::Internal, "the router gave no answer; its log says more")
                .maybe_executed()
                .into()
        });
        Reply::new(self.message_id, &self.action, outcome)
    }
}
