//! What is left on the server: the lanes, what routers hold, the replies that are kept, the dead letters.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use broker::redis::DeadLetter;
use protocol::{Priority, QueueNames};
use redis::Client;
use redis::aio::MultiplexedConnection;
use serde_json::Value;

/// Everything that matters on the server, at one moment at which nobody uses it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The ids that still wait in a lane.
    pub(crate) queued: BTreeSet<String>,
    /// How many commands stand in the hands of a router.
    pub(crate) in_hands: u64,
    /// The reply that is kept for each id.
    pub(crate) kept: BTreeMap<String, Value>,
    /// The replies that wait to be fetched, by id.
    pub(crate) waiting: BTreeMap<String, Vec<Value>>,
    /// How many dead letters there are for each id.
    pub(crate) letters: BTreeMap<String, u64>,
    /// The beginnings of those without an id.
    pub(crate) nonsense: Vec<String>,
    /// Keys that would stay for ever, and should not.
    pub(crate) for_ever: Vec<String>,
}

/// How much is looked at of what was no command, in characters.
const BEGINNING: usize = 200;

/// How much there is to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) queued: u64,
    pub(crate) in_hands: u64,
    /// How many routers the server knows.
    pub(crate) routers: u64,
}

/// A look at the server.
pub(crate) struct Look {
    connection: MultiplexedConnection,
    names: QueueNames,
}

impl Look {
    pub(crate) async fn new(url: &str) -> Result<Self> {
        let connection = Client::open(url)?.get_multiplexed_async_connection().await?;
        Ok(Self { connection, names: QueueNames::default() })
    }

    fn lanes(&self) -> [String; 5] {
        let names = &self.names;
        let own = [Priority::Interactive, Priority::Normal, Priority::Background];
        let [hi, queue, lo] = own.map(|priority| names.lane(priority));
        [hi, queue, lo, names.tagged("q:again"), names.tagged("q:stale")]
    }

    pub(crate) async fn load(&mut self) -> Result<Load> {
        let mut load = Load::default();
        for lane in self.lanes() {
            load.queued += self.ask::<u64>("LLEN", &[&lane]).await?;
        }
        for work in self.keys("work:").await? {
            load.in_hands += self.ask::<u64>("HLEN", &[&work]).await?;
        }
        load.routers = self.ask("ZCARD", &[&self.names.tagged("routers")]).await?;
        Ok(load)
    }

    pub(crate) async fn everything(&mut self) -> Result<Found> {
        let mut found = Found { in_hands: self.load().await?.in_hands, ..Found::default() };
        for lane in self.lanes() {
            let waiting: Vec<Vec<u8>> = self.ask("LRANGE", &[&lane, "0", "-1"]).await?;
            found.queued.extend(waiting.iter().filter_map(|payload| id(payload)));
        }
        let states = self.names.tagged("command:");
        for key in self.keys("command:").await? {
            let state: Option<Vec<u8>> = self.ask("GET", &[&key]).await?;
            let reply = state.as_deref().and_then(|state| state.strip_prefix(b"done "));
            if let Some(reply) = reply.and_then(|reply| serde_json::from_slice(reply).ok()) {
                found.kept.insert(key[states.len()..].to_owned(), reply);
            }
        }
        let prefix = self.names.response_prefix().to_owned();
        for key in self.scan(&prefix).await? {
            let replies: Vec<Vec<u8>> = self.ask("LRANGE", &[&key, "0", "-1"]).await?;
            let replies = replies.iter().filter_map(|reply| serde_json::from_slice(reply).ok());
            found.waiting.insert(key[prefix.len()..].to_owned(), replies.collect());
        }
        let letters: Vec<Vec<u8>> =
            self.ask("LRANGE", &[&self.names.dead_letters(), "0", "-1"]).await?;
        for letter in letters {
            let letter: DeadLetter =
                serde_json::from_slice(&letter).context("a dead letter can't be read")?;
            match letter.message_id {
                Some(id) => *found.letters.entry(id).or_default() += 1,
                None => found.nonsense.push(letter.raw.chars().take(BEGINNING).collect()),
            }
        }
        found.for_ever = self.for_ever().await?;
        Ok(found)
    }

    /// Keys without a time limit besides those that are meant to stay.
    async fn for_ever(&mut self) -> Result<Vec<String>> {
        let mut staying: Vec<String> = self.lanes().into();
        staying.extend([self.names.control(), self.names.dead_letters()]);
        staying.push(self.names.tagged("routers"));
        let mut for_ever = Vec::new();
        for key in self.scan("").await? {
            if !staying.contains(&key) && self.ask::<i64>("PTTL", &[&key]).await? == -1 {
                for_ever.push(key);
            }
        }
        Ok(for_ever)
    }

    async fn keys(&mut self, kind: &str) -> Result<Vec<String>> {
        self.scan(&self.names.tagged(kind)).await
    }

    /// All keys with this prefix. `KEYS` holds the server up, which harms nobody here.
    async fn scan(&mut self, prefix: &str) -> Result<Vec<String>> {
        let keys: Vec<String> = self.ask("KEYS", &["*"]).await?;
        Ok(keys.into_iter().filter(|key| key.starts_with(prefix)).collect())
    }

    async fn ask<T: redis::FromRedisValue>(&mut self, word: &str, args: &[&str]) -> Result<T> {
        let mut command = redis::cmd(word);
        command.arg(args);
        Ok(command.query_async(&mut self.connection).await?)
    }
}

/// The id of a command in a lane; what was handed back has a line before it.
fn id(payload: &[u8]) -> Option<String> {
    let object = payload.iter().position(|byte| *byte == b'{')?;
    let command: Value = serde_json::from_slice(&payload[object..]).ok()?;
    Some(command.get("message_id")?.as_str()?.to_owned())
}
