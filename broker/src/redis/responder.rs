//! The router's end on Redis: takes commands, and answers them.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use protocol::json::MAX_BYTES;
use protocol::{Command, QueueNames, Reply};
use redis::RedisError;
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::bells::Bells;
use super::claim::{Claim, Claimed, Mark};
use super::life::Life;
use super::link::{BackOff, RedisAddress};
use super::publisher::RedisPublisher;
use super::scripts::CLAIM;
use super::terms::Terms;
use crate::responder::{Ending, Request, Responder};

/// How often a command may be begun.
const MOST_ATTEMPTS: u32 = 3;

/// How many bytes are kept of a command that is too large.
const KEPT_BYTES: usize = 64 * 1024;

/// How many commands a claim may bring that are answered for being too many, on top of those that there is room for.
const MOST_SHED: usize = 3 * 64;

/// After how many claims the order of the lanes begins again.
const TURNS: u64 = 16;

/// How long the state of a command is kept while it is in a router's hands, in milliseconds. Each beat renews it.
pub(super) const LEASE_MS: u64 = 60 * 60 * 1_000;

/// The router's end on Redis. Dropping it ends its background tasks.
pub struct RedisResponder {
    life: Arc<Life>,
    bells: Bells,
    /// In hand, and not handed over yet.
    ready: VecDeque<Request>,
    /// Counts claims: it decides which lane's turn it is.
    turn: u64,
    back_off: BackOff,
    shutdown: CancellationToken,
    _stop_on_drop: DropGuard,
}

/// The router's end on the Redis at `address`. It closes when `shutdown` is cancelled. A Redis that is
/// down is waited for. Must be called within a tokio runtime.
///
/// # Errors
/// Words on an address that can't be used at all.
pub fn responder(
    address: RedisAddress,
    names: QueueNames,
    terms: Terms,
    shutdown: CancellationToken,
) -> Result<(RedisResponder, RedisPublisher), String> {
    let stop = CancellationToken::new();
    let life = Arc::new(Life::new(address.clone(), names, terms)?);
    let publisher = RedisPublisher::start(&life, &stop);
    tokio::spawn(stop.clone().run_until_cancelled_owned(Arc::clone(&life).go_on()));
    let responder = RedisResponder {
        bells: Bells::new(address, life.keys.lanes.clone()),
        life,
        ready: VecDeque::new(),
        turn: 0,
        back_off: BackOff::new(),
        shutdown,
        _stop_on_drop: stop.drop_guard(),
    };
    Ok((responder, publisher))
}

#[async_trait]
impl Responder for RedisResponder {
    async fn receive(&mut self) -> Option<Request> {
        let closing = self.shutdown.clone();
        while !closing.is_cancelled() {
            if let Some(request) = self.ready.pop_front() {
                return Some(request);
            }
            let life = Arc::clone(&self.life);
            let Some(room) = closing.run_until_cancelled(life.hands.room(life.terms.slots)).await
            else {
                break;
            };
            match self.claim(room).await {
                Ok(true) => self.back_off.reset(),
                Ok(false) => {
                    self.back_off.reset();
                    closing.run_until_cancelled(self.wait(room)).await;
                }
                Err(error) => {
                    life.say_down(&error);
                    self.back_off.pause().await;
                }
            }
        }
        None
    }

    fn closing(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    async fn drained(&mut self) {
        // Dropped without a word these would be answered; put back they are another router's.
        self.ready.drain(..).for_each(Request::put_back);
        self.life.tasks.close();
        self.life.tasks.wait().await;
        self.life.tasks.reopen();
        self.life.leave().await;
    }
}

impl RedisResponder {
    /// Takes as many commands as there is `room` for. False when there is nothing more to take.
    async fn claim(&mut self, room: usize) -> Result<bool, RedisError> {
        let life = Arc::clone(&self.life);
        let name = life.name().await?;
        let claimed = self.ask(&name, room).await;
        // Whether its answer came or not, these fields are used up. What was taken without our hearing of it is
        // handed back by a beat.
        let taken = match claimed {
            Ok(Claim::Taken { left, commands }) => {
                let count = commands.len();
                commands.into_iter().for_each(|claimed| self.accept(&name, claimed));
                Ok(count > 0 || (left > 0 && room > life.reserved(room)))
            }
            Ok(Claim::Fenced) => {
                life.fenced(&name);
                Ok(true)
            }
            Err(error) => Err(error),
        };
        life.hands.use_up(room + MOST_SHED);
        if taken.is_ok() {
            life.say_up();
        }
        taken
    }

    async fn ask(&mut self, name: &str, room: usize) -> Result<Claim, RedisError> {
        let Life { keys, terms, hands, .. } = &*self.life;
        let reserved = self.life.reserved(room);
        let mut claim = CLAIM.key(&keys.routers);
        claim.key(keys.work(name)).key(&keys.again).key(&keys.stale);
        for lane in &keys.lanes {
            claim.key(lane);
        }
        claim.arg(name).arg(hands.unclaimed()).arg(room - reserved).arg(reserved).arg(self.turn);
        claim
            .arg(MAX_BYTES)
            .arg(KEPT_BYTES)
            .arg(terms.waiting_most)
            .arg(MOST_ATTEMPTS)
            .arg(LEASE_MS);
        claim.arg(&keys.states).arg(&keys.works);
        self.turn = self.turn.wrapping_add(1) % TURNS;
        claim.invoke_async(&mut self.life.commands()).await
    }

    /// Takes in one command: to be handed over, or answered at once.
    fn accept(&mut self, name: &Arc<str>, claimed: Claimed) {
        let held = self.life.hold(name, &claimed);
        let life = Arc::clone(&self.life);
        let ending = match (claimed.mark, claimed.mark.answer(&claimed.body)) {
            (Mark::Run, _) => {
                let (request, unanswered) =
                    Request::open(&claimed.body, claimed.attempt, held.cancelled.clone());
                self.ready.push_back(request);
                self.life
                    .tasks
                    .spawn(async move { life.end(held, unanswered.ending().await).await });
                return;
            }
            (_, Some(stopped)) => {
                tracing::info!(id = ?claimed.id, "not run: {}", stopped.message);
                let action = action(&claimed.body);
                Ending::Reply(Reply::new(claimed.id, &action, stopped.into()))
            }
            (_, None) => Ending::Known(claimed.body),
        };
        self.life.tasks.spawn(async move { life.end(held, ending).await });
    }

    /// Waits until there may be something to take.
    async fn wait(&mut self, room: usize) {
        let reserved_only = room == self.life.reserved(room);
        // The first lane is the interactive one.
        let lanes = if reserved_only { 1 } else { self.life.keys.lanes.len() };
        tokio::select! {
            () = self.bells.rung(lanes) => {}
            () = self.life.hands.freed(), if reserved_only => {}
            // The lanes without a bell are looked at now and then.
            () = sleep(self.life.terms.beat) => {}
        }
    }
}

/// The action that a command asks for, as far as it can be read.
fn action(body: &[u8]) -> String {
    match Command::from_bytes(body) {
        Ok(command) => command.action.to_string(),
        Err(malformed) => malformed.action,
    }
}
