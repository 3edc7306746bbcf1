//! The queue as its owner looks at it, and the few things that a person may do about it.
//!
//! A look changes nothing about what becomes of a command. It reads a little at a time, because what lies on a
//! queue may be of any number and any size, and never asks the server for all of its keys.

mod entry;
mod lane;
mod letters;

mod target;

mod find;
mod list;
mod standing;

mod change;

use std::sync::LazyLock;

use protocol::{Millis, QueueNames};
use redis::{RedisError, Script};

use super::keys::Keys;
use super::life::millis;
use super::link::Connection;
use super::{RedisAddress, Terms};

pub use change::{Cancelled, RetryError};
pub use entry::Entry;
pub use find::{Found, State};
pub use lane::Lane;
pub use letters::{Letter, LetterName, NoCommand};
pub use list::Listed;
pub use standing::{LaneStanding, RouterStanding, Server, Standing};
pub use target::Target;

/// How many elements of a list are read at a time.
const CHUNK: usize = 100;

/// How long the note of a look is kept, in milliseconds.
const NOTED_MS: u64 = 3_600_000;

/// Tells what a starting router would tell by how long the queue lay untouched.
static UNTOUCHED: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("untouched.lua")));

/// Reads elements of a list.
static PEEK: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("peek.lua")));

/// The queue as it stands at the moment of connecting: all ages and deadlines are told by that moment.
#[derive(Debug)]
pub struct Look {
    address: RedisAddress,
    keys: Keys,
    commands: Connection,
    terms: Terms,
    now: Millis,
    alive: u64,
}

/// Why the queue can't be looked at, in words that say what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LookError(String);

impl Look {
    /// Connects, and learns the server's time and how many routers live. `terms` are those of the routers.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be reached or refuses.
    pub async fn connect(
        address: RedisAddress,
        names: QueueNames,
        terms: Terms,
    ) -> Result<Self, LookError> {
        let keys = Keys::new(names);
        let mut look = match address.commands() {
            Ok(commands) => Self { address, keys, commands, terms, now: Millis(0), alive: 0 },
            Err(error) => return Err(LookError(address.explain(&error))),
        };
        let (now, alive) = look.untouched().await.map_err(|error| look.error(&error))?;
        (look.now, look.alive) = (Millis(now), alive);
        Ok(look)
    }

    /// The same, and leaves no note of it on the server, so only what is counted can be asked of it.
    ///
    /// # Errors
    /// As for [`Look::connect`].
    pub async fn glance(
        address: RedisAddress,
        names: QueueNames,
        terms: Terms,
    ) -> Result<Self, LookError> {
        let keys = Keys::new(names);
        let commands = match address.commands() {
            Ok(commands) => commands,
            Err(error) => return Err(LookError(address.explain(&error))),
        };
        let time = redis::cmd("TIME").query_async::<(u64, u64)>(&mut commands.clone()).await;
        let (seconds, micros) = time.map_err(|error| LookError(address.explain(&error)))?;
        let now = Millis(seconds * 1_000 + micros / 1_000);
        Ok(Self { address, keys, commands, terms, now, alive: 0 })
    }

    /// What is looked at, in words.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{} at {}", self.keys.names.commands(), self.address.shown())
    }

    /// The terms that it is looked at by.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How many routers live.
    #[must_use]
    pub fn routers_alive(&self) -> u64 {
        self.alive
    }

    /// The server's time when it was asked.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Comes before any other access of the queue.
    async fn untouched(&self) -> Result<(u64, u64), RedisError> {
        let (keys, terms) = (&self.keys, &self.terms);
        let mut untouched = UNTOUCHED.key(&keys.routers);
        untouched.key(keys.names.commands()).key(&keys.stale).key(keys.names.tagged("looked"));
        untouched.arg(millis(terms.dead_after)).arg(terms.stale_after.as_secs()).arg(NOTED_MS);
        untouched.invoke_async(&mut self.commands.clone()).await
    }

    /// The elements of a list from `first` to `last`, as LRANGE counts them, that hold `wanted`; and how many lay
    /// there in all.
    async fn peek(&self, list: &str, range: Range, wanted: &str) -> Result<Peeked, LookError> {
        let mut peek = PEEK.key(list);
        peek.arg(range.first).arg(range.last).arg(range.whole).arg(range.kept).arg(wanted);
        let mut answer: Vec<redis::Value> = peek
            .invoke_async(&mut self.commands.clone())
            .await
            .map_err(|error| self.error(&error))?;
        let elements = answer.split_off(answer.len().min(1));
        let read = |value| redis::from_redis_value(value).map_err(|error| self.unreadable(&error));
        let count = answer.pop().map_or(Ok(0), |count| {
            redis::from_redis_value(count).map_err(|error| self.unreadable(&error))
        })?;
        Ok(Peeked { count, elements: elements.into_iter().map(read).collect::<Result<_, _>>()? })
    }

    fn error(&self, error: &RedisError) -> LookError {
        LookError(self.address.explain(error))
    }

    fn unreadable(&self, error: &redis::ParsingError) -> LookError {
        LookError(format!("{}: {error}", self.address.shown()))
    }
}

/// Which elements of a list are read, and how much of each.
#[derive(Debug, Clone, Copy)]
struct Range {
    first: i64,
    last: i64,
    /// Longer elements are not read whole ...
    whole: usize,
    /// ... but only these bytes of their beginning.
    kept: usize,
}

impl Range {
    /// One chunk from `first` on.
    fn chunk(first: i64, whole: usize, kept: usize) -> Self {
        Self { first, last: first + CHUNK as i64 - 1, whole, kept }
    }
}

/// What was read of a list.
#[derive(Debug)]
struct Peeked {
    /// How many elements lay there.
    count: usize,
    /// The size and the bytes of each that was wanted.
    elements: Vec<(u64, Vec<u8>)>,
}
