//! The router's end on Redis: takes commands, and answers them.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use protocol::{Command, QueueNames, Reply};
use redis::RedisError;
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::claim::{Claim, Claimed, Mark};
use super::hands::Held;
use super::life::Life;
use super::link::{BackOff, RedisAddress};
use super::publisher::RedisPublisher;
use super::seal::{Judged, Seal};
use super::terms::Terms;
use super::watch::{Answered, Watch};
use crate::failpoint::{self, Point};
use crate::responder::{Begins, Ending, Past, Request, Responder};
use crate::unrun;

/// How long the state of a command is kept while it is in a router's hands, in milliseconds. Each beat renews it.
pub(super) const LEASE_MS: u64 = 60 * 60 * 1_000;

/// How long a command waits whose id another one has that is in hand.
const COPY_WAITS: Duration = Duration::from_millis(100);

/// How often it is looked for requests to the router itself while there is room for nothing else.
const LOOK_FOR_OWN: Duration = Duration::from_millis(300);

/// The router's end on Redis. Dropping it ends its background tasks.
pub struct RedisResponder {
    life: Arc<Life>,
    /// None once this end is closing.
    watch: Option<Watch>,
    /// In hand, and not handed over yet.
    ready: VecDeque<Request>,
    /// Whether a connection has broken, or none has been made yet. What is found without waiting comes first then: a wait
    /// may break again and again.
    after_a_break: bool,
    shutdown: CancellationToken,
    /// What goes on in the background, until this goes.
    at_work: Option<DropGuard>,
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
    let life = Arc::new(Life::new(address, names, terms)?);
    let publisher = RedisPublisher::start(&life, &stop);
    tokio::spawn(stop.clone().run_until_cancelled_owned(Arc::clone(&life).go_on()));
    let responder = RedisResponder {
        watch: Some(Watch::new(Arc::clone(&life))),
        life,
        ready: VecDeque::new(),
        after_a_break: true,
        shutdown,
        at_work: Some(stop.drop_guard()),
    };
    Ok((responder, publisher))
}

#[async_trait]
impl Responder for RedisResponder {
    async fn receive(&mut self) -> Option<Request> {
        let closing = self.shutdown.clone();
        let mut back_off = BackOff::new();
        while !closing.is_cancelled() {
            if let Some(request) = self.ready.pop_front() {
                return Some(request);
            }
            match closing.run_until_cancelled(self.claim()).await? {
                Ok(answered) => {
                    self.life.say_up();
                    self.take_in(answered);
                    back_off.reset();
                }
                Err(error) => {
                    self.life.say_down(&error);
                    self.after_a_break = true;
                    back_off.pause().await;
                }
            }
        }
        None
    }

    async fn receive_own(&mut self) -> Request {
        let is_own = |request: &Request| request.command().is_ok_and(|it| it.action.is_reserved());
        loop {
            if let Some(request) =
                self.ready.iter().position(is_own).and_then(|at| self.ready.remove(at))
            {
                return request;
            }
            sleep(LOOK_FOR_OWN).await;
            // Who claims everything says what is wrong with the connection.
            if let Ok(answered) = self.life.claim_own().await {
                self.take_in(answered);
            }
        }
    }

    fn closing(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    async fn drained(&mut self) {
        // Its connections go with it, and the claims that wait on them.
        self.watch = None;
        self.ready.drain(..).for_each(Request::put_back);
        self.life.tasks.close();
        self.life.tasks.wait().await;
    }

    async fn leave(&mut self) {
        // Nothing beats any more, so that nobody registers again.
        self.at_work = None;
        self.life.leave().await;
    }
}

/// What tells the server that a command begins, and this end that it takes long. A request that outlives its end keeps nothing of it.
struct Announced {
    life: Weak<Life>,
    held: Held,
}

impl std::fmt::Debug for Announced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Announced").field("held", &self.held).finish_non_exhaustive()
    }
}

#[async_trait]
impl Begins for Announced {
    async fn begins(&self) -> bool {
        match self.life.upgrade() {
            Some(life) => life.begins(&self.held).await,
            None => false,
        }
    }

    fn takes_long(&self) {
        if let Some(life) = self.life.upgrade() {
            life.hands.takes_long(self.held.field);
        }
    }
}

impl RedisResponder {
    /// Claims what there is room for; waits for a slot, and for a command. Giving it up loses nothing.
    async fn claim(&mut self) -> Result<Answered, RedisError> {
        let Some(watch) = &mut self.watch else { return pending().await };
        let Life { hands, terms, .. } = &*self.life;
        loop {
            let room = hands.slots(terms.slots).saturating_sub(hands.count());
            if room == 0 {
                hands.freed().await;
            } else if room > terms.reserved() {
                return if self.after_a_break {
                    self.life.claim().await
                } else {
                    watch.next(usize::MAX).await
                };
            } else {
                // The first lane is the interactive one, and the last slots are for it alone.
                tokio::select! {
                    answered = watch.next(1) => return answered,
                    () = hands.freed() => {}
                }
            }
        }
    }

    fn take_in(&mut self, Answered { name, first, claim }: Answered) {
        match claim {
            Claim::Taken(commands) => {
                self.after_a_break = false;
                commands.into_iter().for_each(|claimed| self.accept(&name, claimed));
                self.life.stands(&name);
            }
            Claim::Fenced => self.life.fenced(&name),
            // They were looked at before the claim that this is the answer to.
            Claim::Words(_) => {}
        }
        self.life.hands.answered(first);
    }

    /// Takes in one command: to be handed over, or answered at once.
    fn accept(&mut self, name: &Arc<str>, claimed: Claimed) {
        failpoint::pass(Point::Claimed);
        let judged = self.life.judge(&claimed);
        let seal = if let Judged::Taken(seal) = &judged { seal.clone() } else { Seal::default() };
        let held = self.life.hold(name, &claimed, seal);
        let life = Arc::clone(&self.life);
        if !matches!(judged, Judged::Taken(_)) {
            self.life.tasks.spawn(async move { life.turn_away(held, judged).await });
            return;
        }
        let ending = match (claimed.mark, claimed.mark.answer(&claimed.body, claimed.attempt)) {
            (Mark::Run, _) => {
                let Claimed { attempt, may_have_begun, .. } = claimed;
                // Whoever writes on the server can say there that nobody has begun it.
                let is_known = attempt > 1 && life.begun.knows(&held.seal.mac);
                let may_have_begun = may_have_begun || is_known;
                let begins = Announced { life: Arc::downgrade(&life), held: held.clone() };
                let (request, unanswered) = Request::open(
                    &claimed.body,
                    Past { attempt, may_have_begun },
                    Some(Box::new(begins)),
                    held.cancelled.clone(),
                );
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
}

impl Life {
    /// Ends what was not taken.
    async fn turn_away(&self, held: Held, judged: Judged) {
        match judged {
            Judged::Taken(_) => {}
            Judged::Refused(stopped) => {
                tracing::warn!(id = ?held.id, "not run: {}", stopped.message);
                let reply = Reply::new(held.id.clone(), &action(&held.body), stopped.into());
                self.refuse(held, Some(reply)).await;
            }
            Judged::Dropped(why) => {
                tracing::warn!(id = ?held.id, "a command is dropped: {why}");
                self.refuse(held, None).await;
            }
            Judged::Waits => {
                sleep(COPY_WAITS).await;
                let draining = Reply::new(held.id.clone(), "", unrun::draining().into());
                self.end(held, Ending::PutBack { begun: false, draining }).await;
            }
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
