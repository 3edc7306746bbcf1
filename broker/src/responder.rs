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
    /// The next command, in the order of its lane; `None` once this end is closing.
    ///
    /// Call it only when there is room to serve a command: what it has handed over has left the queue.
    async fn receive(&mut self) -> Option<Request>;

    /// The next request to the router itself, such as a stop: people are heard while there is no room for anything else. Giving it
    /// up loses nothing.
    async fn receive_own(&mut self) -> Request;

    /// Is cancelled when no further command will come.
    fn closing(&self) -> CancellationToken;

    /// Waits until every reply to what was received has been written.
    async fn drained(&mut self);

    /// Ends this end: whatever it still has is another's from now on.
    async fn leave(&mut self) {}
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

    /// How many routers serve the queue, this one included.
    async fn routers(&self) -> u64 {
        1
    }
}

/// One command on the router's side. Exactly one answer follows: replying consumes the request, and a
/// request that is dropped without a reply is answered `internal`.
#[derive(Debug)]
pub struct Request {
    body: Result<Command, Malformed>,
    past: Past,
    begins: Option<Box<dyn Begins>>,
    cancelled: CancellationToken,
    answer: oneshot::Sender<Answer>,
}

/// What has become of a command before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Past {
    /// How often it has been handed to a router, this time included.
    pub(crate) attempt: u32,
    /// Whether a router before this one may have begun it, for all that one has said ([`Request::begins`]).
    pub(crate) may_have_begun: bool,
}

/// Where a router says what it does with a command.
#[async_trait]
pub(crate) trait Begins: std::fmt::Debug + Send + Sync {
    /// Says so, through as many failures as it takes; false when the command is another router's by now.
    async fn begins(&self) -> bool;

    /// Says that it leaves its slot to others. Where nobody counts slots that means nothing.
    fn takes_long(&self) {}
}

/// What becomes of a request.
#[derive(Debug)]
enum Answer {
    Outcome(Outcome),
    PutBack { begun: bool },
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

    /// How often the command has been taken up, this time included. With more than one its action may have had its
    /// effect already.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.past.attempt
    }

    /// Whether a router that ended may have begun it. It counts only for what every router announces with
    /// [`Request::begins`]: of anything else nobody knows.
    #[must_use]
    pub fn may_have_begun(&self) -> bool {
        self.past.may_have_begun
    }

    /// Says that the command begins now, which is to be said of whatever can't be done twice: a command whose router ends
    /// before it has said so is run by the next one. False when the command has become another router's: then it must not
    /// be begun here.
    #[must_use]
    pub async fn begins(&self) -> bool {
        match &self.begins {
            Some(begins) => begins.begins().await,
            None => true,
        }
    }

    /// Says that the command may take long: whoever serves it has room for another one meanwhile.
    pub fn takes_long(&self) {
        if let Some(begins) = &self.begins {
            begins.takes_long();
        }
    }

    /// Answers with `outcome`.
    pub fn reply(self, outcome: impl Into<Outcome>) {
        // The other end is gone only when the whole transport is, and then nobody can be told.
        let _ = self.answer.send(Answer::Outcome(outcome.into()));
    }

    /// Gives the command back unanswered, for another router or a later life of this one. It must not have been begun.
    /// A transport without another router answers `draining`.
    pub fn put_back(self) {
        let _ = self.answer.send(Answer::PutBack { begun: false });
    }

    /// The same for one that has been begun and is stopped, whose action may be run again. This attempt counts.
    pub fn run_again(self) {
        let _ = self.answer.send(Answer::PutBack { begun: true });
    }

    /// Makes a request of the bytes on the wire, and the transport's end of it.
    pub(crate) fn open(
        bytes: &[u8],
        past: Past,
        begins: Option<Box<dyn Begins>>,
        cancelled: CancellationToken,
    ) -> (Self, Unanswered) {
        let body = Command::from_bytes(bytes);
        let (message_id, action) = match &body {
            Ok(command) => (Some(command.message_id.clone()), command.action.to_string()),
            Err(malformed) => (malformed.message_id.clone(), malformed.action.clone()),
        };
        let (answer, answered) = oneshot::channel();
        (
            Self { body, past, begins, cancelled, answer },
            Unanswered { message_id, action, past, answered },
        )
    }
}

/// The transport's end of a [`Request`].
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) message_id: Option<MessageId>,
    action: String,
    past: Past,
    answered: oneshot::Receiver<Answer>,
}

/// How a command ends for the transport.
#[derive(Debug)]
pub(crate) enum Ending {
    /// With this reply.
    Reply(Reply),
    /// With the bytes of a reply that was given before.
    Known(Vec<u8>),
    /// It has not ended and goes back to where it came from; where there is no such place, with the reply `draining`.
    PutBack { begun: bool, draining: Reply },
}

impl Unanswered {
    /// Waits for the router's word and puts it into a reply.
    pub(crate) async fn ending(self) -> Ending {
        let Self { message_id, action, past, answered } = self;
        let reply = |outcome| Reply::new(message_id, &action, outcome);
        match answered.await {
            Ok(Answer::Outcome(outcome)) => Ending::Reply(reply(outcome)),
            Ok(Answer::PutBack { begun }) => {
                let mut draining = crate::unrun::draining();
                draining.maybe_executed = begun || past.attempt > 1;
                Ending::PutBack { begun, draining: reply(draining.into()) }
            }
            Err(_) => {
                let silent =
                    Stopped::new(Code::Internal, "the router gave no answer; its log says more");
                Ending::Reply(reply(silent.maybe_executed().into()))
            }
        }
    }
}
