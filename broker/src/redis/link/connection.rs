//! A connection that lasts, over lines that break.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use redis::aio::ConnectionLike;
use redis::{Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, Value};
use tokio::time::Instant;

use super::line::{Line, Question, Refusal};
use super::{ANSWER, BackOff, RedisAddress};

/// A line that is made once, however many wait for it.
type Dialled = Shared<BoxFuture<'static, Result<Line, RedisError>>>;

/// A connection to a Redis or a cluster, whichever stands at the address. It is made when first used, and
/// made again after it broke. Clones share it.
///
/// A command is sent again only when a cluster says that it has not been done: the key has moved, or a
/// node is being replaced. That takes at most [`ANSWER`]. When a connection breaks before the answer, nobody
/// knows whether the command was done, and the caller is told so.
#[derive(Clone)]
pub(in crate::redis) struct Connection {
    shared: Arc<Parts>,
}

struct Parts {
    address: RedisAddress,
    answer: Duration,
    line: Mutex<Option<Dialled>>,
}

impl Connection {
    pub(super) fn new(address: RedisAddress, answer: Duration) -> Self {
        Self { shared: Arc::new(Parts { address, answer, line: Mutex::default() }) }
    }

    /// The same once it is made.
    pub(super) async fn made(self) -> Result<Self, RedisError> {
        let _ = self.line().await?;
        Ok(self)
    }

    /// Whether a cluster was last seen at the address; `false` as long as nobody has connected to it.
    pub(in crate::redis) fn is_cluster(&self) -> bool {
        self.shared.address.topology.is_cluster()
    }

    async fn ask(&self, question: Question<'_>) -> Result<Vec<Value>, RedisError> {
        let until = Instant::now() + ANSWER;
        let mut back_off = BackOff::new();
        loop {
            let (dialled, mut line) = self.line().await?;
            let error = match line.ask(question).await {
                Ok(answers) => return Ok(answers),
                Err(error) => error,
            };
            let refusal = Refusal::in_error(&error);
            // A blocking read whose answer is late may still pop something, for nobody; and of a cluster
            // another node may have taken the place of the one that is silent.
            let is_spent = error.is_unrecoverable_error() || error.is_timeout();
            if is_spent || refusal == Some(Refusal::Elsewhere) {
                self.forget(&dialled);
            }
            let is_undone = refusal.is_some() && question.is_all_or_nothing();
            if !(line.is_cluster() && is_undone && Instant::now() < until) {
                return Err(error);
            }
            back_off.pause().await;
        }
    }

    async fn line(&self) -> Result<(Dialled, Line), RedisError> {
        let dialled = self.lock().get_or_insert_with(|| self.shared.dial()).clone();
        let made = dialled.clone().await;
        if made.is_err() {
            self.forget(&dialled);
        }
        made.map(|line| (dialled, line))
    }

    /// Makes a new line for whoever comes next, unless that has been done since.
    fn forget(&self, broken: &Dialled) {
        let mut line = self.lock();
        if line.as_ref().is_some_and(|line| line.ptr_eq(broken)) {
            *line = None;
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, the line is still whole.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Dialled>> {
        self.shared.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Parts {
    /// Dials in a task of its own, so that it goes on when those who wait for it give up.
    fn dial(&self) -> Dialled {
        let (address, answer) = (self.address.clone(), self.answer);
        let dialling = tokio::spawn(async move { address.dial(answer).await });
        let given_up = || RedisError::from((ErrorKind::Io, "connecting was given up"));
        dialling.map(move |made| made.unwrap_or_else(|_| Err(given_up()))).boxed().shared()
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        let answers = self.ask(Question::One(command));
        answers.map(|answers| Ok(answers?.pop().unwrap_or(Value::Nil))).boxed()
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        skip: usize,
        take: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        self.ask(Question::Several { pipeline, skip, take }).boxed()
    }

    fn get_db(&self) -> i64 {
        self.shared.address.client.get_connection_info().redis_settings().db()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connection").field(&self.shared.address).finish()
    }
}
