//! A router's life on the server, from registering under a new name to leaving.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::{Millis, QueueNames};
use redis::RedisError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::begun::Begun;
use super::claim::Claimed;
use super::hands::{Hands, Held};
use super::keys::Keys;
use super::link::{Connection, RedisAddress};
use super::lives::Lives;
use super::scripts::{LEAVE, REGISTER, TAKE_OVER};
use super::seal::Seal;
use super::terms::Terms;
use crate::clock::Clock;
use crate::failpoint::{self, Point};

/// What the parts of a router's end share.
pub(super) struct Life {
    pub(super) address: RedisAddress,
    pub(super) keys: Keys,
    pub(super) terms: Terms,
    pub(super) clock: Clock,
    pub(super) hands: Hands,
    pub(super) begun: Begun,
    /// One for each command that is being answered.
    pub(super) tasks: TaskTracker,
    commands: Connection,
    /// Those of this home's routers, if there is a place for them.
    lives: Option<Lives>,
    /// The name under which the server knows this router now.
    name: Mutex<Option<Arc<str>>>,
    /// Held while registering, so that no name is left behind that nobody uses.
    registering: tokio::sync::Mutex<()>,
    down: AtomicBool,
}

impl Life {
    pub(super) fn new(
        address: RedisAddress,
        names: QueueNames,
        terms: Terms,
    ) -> Result<Self, String> {
        let commands = address.commands().map_err(|error| address.explain(&error))?;
        let lives = terms.lives.as_deref().map(Lives::open).transpose();
        let lives = lives.unwrap_or_else(|error| {
            tracing::warn!(%error, "routers that are killed here are taken over late");
            None
        });
        Ok(Self {
            address,
            keys: Keys::new(names),
            terms,
            clock: Clock::default(),
            hands: Hands::default(),
            begun: Begun::default(),
            tasks: TaskTracker::new(),
            commands,
            lives,
            name: Mutex::default(),
            registering: tokio::sync::Mutex::default(),
            down: AtomicBool::new(false),
        })
    }

    /// The connection for everything that does not block.
    pub(super) fn commands(&self) -> Connection {
        self.commands.clone()
    }

    /// This router's name; registers it first when it has none.
    pub(super) async fn name(&self) -> Result<Arc<str>, RedisError> {
        if let Some(name) = self.known_name() {
            return Ok(name);
        }
        let _one_at_a_time = self.registering.lock().await;
        if let Some(name) = self.known_name() {
            return Ok(name);
        }
        let name: Arc<str> = uuid::Uuid::now_v7().simple().to_string().into();
        // Before it can have anything in its hands.
        if let Some(error) = self.lives.as_ref().and_then(|lives| lives.note(&name).err()) {
            tracing::warn!(%error, "this router's name is not noted");
        }
        let mut register = REGISTER.key(&self.keys.routers);
        register.key(self.keys.names.commands()).key(&self.keys.stale).arg(&*name);
        register.arg(millis(self.terms.dead_after)).arg(self.terms.stale_after.as_secs());
        let before = Millis::of_this_machine();
        let theirs: u64 = register.invoke_async(&mut self.commands()).await?;
        // Deadlines are judged by the server's clock, so that comes before the first command.
        self.clock.set(Millis(theirs), before);
        *lock(&self.name) = Some(Arc::clone(&name));
        Ok(name)
    }

    pub(super) fn known_name(&self) -> Option<Arc<str>> {
        lock(&self.name).clone()
    }

    /// The server counts `name` as dead: what was in its hands is another router's, and this one goes on under
    /// a new name.
    pub(super) fn fenced(&self, name: &str) {
        let mut known = lock(&self.name);
        if known.as_deref() != Some(name) {
            return;
        }
        *known = None;
        drop(known);
        tracing::warn!("this router counted as dead; it goes on, and leaves what it had to others");
        self.lose(name);
    }

    /// What was claimed under `name` is lost if that name has come to count as dead while the claim was under way.
    pub(super) fn stands(&self, name: &str) {
        if self.known_name().as_deref() != Some(name) {
            self.lose(name);
        }
    }

    fn lose(&self, name: &str) {
        for held in self.hands.all().into_iter().filter(|held| *held.router == *name) {
            self.hands.lose(held.field);
        }
    }

    /// Takes a claimed command into the hands.
    pub(super) fn hold(&self, router: &Arc<str>, claimed: &Claimed, seal: Seal) -> Held {
        let held = Held {
            router: Arc::clone(router),
            field: claimed.field,
            id: claimed.id.clone(),
            attempt: claimed.attempt,
            body: claimed.body.as_slice().into(),
            seal,
            takes_long: false,
            cancelled: CancellationToken::new(),
            lost: CancellationToken::new(),
        };
        self.hands.take(held.clone());
        held
    }

    /// Takes over from routers of this home that were killed. A word of theirs that is still on its way counts no more.
    pub(super) async fn take_over(&self) {
        for dead in self.lives.iter().flat_map(Lives::dead) {
            let mut take_over = TAKE_OVER.key(&self.keys.routers);
            take_over.key(&self.keys.again).arg(&self.keys.states).arg(&self.keys.works);
            for name in &dead.names {
                take_over.arg(name);
            }
            match take_over.invoke_async::<u64>(&mut self.commands()).await {
                Ok(count) => {
                    if count > 0 {
                        tracing::warn!(
                            "a router of this home was killed; {count} commands of it are taken over"
                        );
                    }
                    dead.forget();
                }
                Err(error) => return self.say_down(&error),
            }
        }
    }

    /// Leaves, and gives back whatever is left: what has been begun by now is marked so.
    pub(super) async fn leave(&self) {
        let Some(name) = self.known_name() else { return };
        failpoint::pass(Point::Leaving);
        let mut leave = LEAVE.key(&self.keys.routers);
        leave.key(self.keys.work(&name)).key(&self.keys.again).arg(&*name).arg(&self.keys.states);
        for held in self.hands.all() {
            leave.arg(held.field);
        }
        match leave.invoke_async::<()>(&mut self.commands()).await {
            Ok(()) => self.lives.iter().for_each(Lives::leave),
            Err(error) => {
                tracing::debug!(error = self.address.explain(&error), "left without a word");
            }
        }
    }

    /// Says once that the server is gone.
    pub(super) fn say_down(&self, error: &RedisError) {
        if !self.down.swap(true, Ordering::Relaxed) {
            tracing::warn!("{}; waiting for it", self.address.explain(error));
        }
    }

    /// Says once that it is back.
    pub(super) fn say_up(&self) {
        if self.down.load(Ordering::Relaxed) && self.down.swap(false, Ordering::Relaxed) {
            tracing::info!("{} is back", self.address.shown());
        }
    }
}

/// A span in whole milliseconds, as the scripts take it.
pub(super) fn millis(span: std::time::Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

// A std mutex, because it is never held across an await. Poisoned, the name is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
