//! Waits for commands, and claims them.
//!
//! A bell and a claim travel together: the server waits until something lies in a lane, and runs the claim in the
//! same moment. That spares a way there and back for each command, and still a command is either in its lane or
//! in this router's hands: the bell takes nothing, and the claim is one step.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use protocol::RESERVED_NAMES;
use redis::{Cmd, ErrorKind, RedisError, ServerErrorKind};

use super::bells::bell;
use super::claim::Claim;
use super::letter::KEPT_BYTES;
use super::life::{Life, millis};
use super::link::Connection;
use super::responder::LEASE_MS;
use super::scripts::CLAIM;
use crate::unrun::{MOST_ATTEMPTS, REMEMBERED};

/// How many commands a claim may bring that are answered for being too many, on top of those that there is room for.
const MOST_SHED: usize = 3 * 64;

/// A claim with its answer.
pub(super) struct Answered {
    /// The life of the router that asked.
    pub(super) name: Arc<str>,
    /// The first of the fields that were set aside for it.
    pub(super) first: u64,
    /// What the server said.
    pub(super) claim: Claim,
}

/// Watches all lanes that commands are pushed to, each on a connection of its own.
pub(super) struct Watch {
    life: Arc<Life>,
    lanes: Vec<Lane>,
    /// Those that are waited for. They go on from one wait to the next.
    waiting: FuturesUnordered<BoxFuture<'static, (usize, Watched)>>,
}

/// What came of waiting at a lane, and the connection to go on with.
type Watched = Result<(Connection, Answered), RedisError>;

#[derive(Default)]
struct Lane {
    idle: Option<Connection>,
    waiting: bool,
}

impl Watch {
    pub(super) fn new(life: Arc<Life>) -> Self {
        let lanes = life.keys.lanes.iter().map(|_| Lane::default()).collect();
        Self { life, lanes, waiting: FuturesUnordered::new() }
    }

    /// Waits at the first `count` lanes until a claim brings something, or for a while. Giving this up loses nothing.
    ///
    /// # Errors
    /// When a connection fails. The lane is watched again at the next call.
    pub(super) async fn next(&mut self, count: usize) -> Result<Answered, RedisError> {
        for at in 0..count.min(self.lanes.len()) {
            if !self.lanes[at].waiting {
                self.lanes[at].waiting = true;
                let (life, idle) = (Arc::clone(&self.life), self.lanes[at].idle.take());
                let watched = async move { (at, life.watch(at, idle).await) };
                self.waiting.push(Box::pin(watched));
            }
        }
        let Some((at, watched)) = self.waiting.next().await else { return self.life.claim().await };
        self.lanes[at].waiting = false;
        let (connection, answered) = watched?;
        self.lanes[at].idle = Some(connection);
        Ok(answered)
    }
}

impl Life {
    /// Claims without waiting.
    pub(super) async fn claim(&self) -> Result<Answered, RedisError> {
        self.claim_as(Asked::new(self)).await
    }

    /// Claims one request to the router itself, whatever there is room for.
    pub(super) async fn claim_own(&self) -> Result<Answered, RedisError> {
        self.claim_as(Asked { only_own: true, ..Asked::new(self) }).await
    }

    async fn claim_as(&self, asked: Asked<'_>) -> Result<Answered, RedisError> {
        let name = self.name().await?;
        let claim = asked.claim(&name, Control::Unheard);
        let mut commands = self.commands();
        let claim = match claim.query_async(&mut commands).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                CLAIM.prepare_invoke().load_async(&mut commands).await?;
                claim.query_async(&mut commands).await?
            }
            answer => answer?,
        };
        let claim = self.past_words(claim, &asked, &name, &mut commands).await?;
        Ok(Answered { name, first: asked.keep(), claim })
    }

    async fn watch(&self, lane: usize, idle: Option<Connection>) -> Watched {
        let mut connection = match idle {
            Some(connection) => connection,
            None => {
                let mut connection = self.address.blocking().await?;
                CLAIM.prepare_invoke().load_async(&mut connection).await?;
                connection
            }
        };
        let name = self.name().await?;
        let asked = Asked::new(self);
        let mut both = redis::pipe();
        both.add_command(bell(&self.keys.lanes[lane])).ignore();
        both.add_command(asked.claim(&name, Control::Unheard));
        let (claim,): (Claim,) = both.query_async(&mut connection).await?;
        let claim = self.past_words(claim, &asked, &name, &mut connection).await?;
        Ok((connection, Answered { name, first: asked.keep(), claim }))
    }

    /// What a claim brings once the words have been taken in that kept it from taking anything. Words that have come since
    /// keep it no longer, or who floods the list would have nothing served.
    async fn past_words(
        &self,
        claim: Claim,
        asked: &Asked<'_>,
        name: &str,
        connection: &mut Connection,
    ) -> Result<Claim, RedisError> {
        let Claim::Words(words) = claim else { return Ok(claim) };
        self.heed(&words).await?;
        asked.claim(name, Control::Heard).query_async(connection).await
    }
}

/// Whether the signatures of what agents want taken back have just been looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    Unheard,
    Heard,
}

/// A claim whose answer has not come. Dropped before that, its fields count as used.
struct Asked<'a> {
    life: &'a Life,
    first: u64,
    /// How many commands may be in hand behind it.
    slots: usize,
    /// It is for a request to the router itself alone.
    only_own: bool,
    answered: bool,
}

impl<'a> Asked<'a> {
    fn new(life: &'a Life) -> Self {
        let slots = life.hands.slots(life.terms.slots);
        Self {
            life,
            first: life.hands.ask(slots + MOST_SHED),
            slots,
            only_own: false,
            answered: false,
        }
    }

    fn claim(&self, name: &str, control: Control) -> Cmd {
        let Life { keys, terms, .. } = self.life;
        let mut claim = redis::cmd("EVALSHA");
        claim.arg(CLAIM.get_hash()).arg(6 + keys.lanes.len());
        claim.arg(&keys.routers).arg(keys.work(name)).arg(&keys.again).arg(&keys.stale);
        claim.arg(&keys.lanes).arg(&keys.control).arg(&keys.wheel);
        claim.arg(name).arg(self.first).arg(self.slots).arg(terms.reserved());
        claim.arg(protocol::json::MAX_BYTES).arg(KEPT_BYTES).arg(terms.waiting_most);
        claim.arg(MOST_ATTEMPTS).arg(LEASE_MS).arg(&keys.states).arg(&keys.works);
        claim.arg(millis(REMEMBERED)).arg(u8::from(terms.keys.is_some()));
        claim.arg(u8::from(control == Control::Heard));
        claim.arg(if self.only_own { RESERVED_NAMES.join(" ") } else { String::new() });
        claim
    }

    /// The answer is there; whoever takes it in says so.
    fn keep(mut self) -> u64 {
        self.answered = true;
        self.first
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.life.hands.answered(self.first);
        }
    }
}
