//! [`Store`] on Redis: an entry is a string with a time to live under `{queue}:state:<table>:<key>`; a sorted set
//! beside them, `{queue}:state:<table>`, knows which there are and until when, so that nobody has to ask the server for all
//! of its keys.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use protocol::QueueNames;
use redis::{AsyncCommands, ErrorKind, RedisError, Script, ServerErrorKind};

use super::life::millis;
use super::link::{BackOff, Connection, RedisAddress};
use crate::store::{Store, StoreFault, Table};

/// Changes an entry and the index in one step.
static SWAP: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("swap.lua")));

/// Reads the entries that the index knows.
static LIST: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("list.lua")));

/// How long a server that is gone is waited for: longer than a restart takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The entries under one queue's names.
#[derive(Debug)]
pub struct RedisStore {
    address: RedisAddress,
    names: QueueNames,
    commands: Connection,
}

impl RedisStore {
    /// The store beside the queue `names` at `address`. It connects when it is first used.
    ///
    /// # Errors
    /// Words on an address that can't be used at all.
    pub fn new(address: RedisAddress, names: QueueNames) -> Result<Self, String> {
        let commands = address.commands().map_err(|error| address.explain(&error))?;
        Ok(Self { address, names, commands })
    }

    fn index(&self, table: Table) -> String {
        self.names.tagged(&format!("state:{}", table.name))
    }

    fn entry(&self, table: Table, key: &str) -> String {
        format!("{}:{key}", self.index(table))
    }

    fn fault(&self, error: &RedisError) -> StoreFault {
        StoreFault(self.address.explain(error))
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn read(&self, table: Table, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let entry = self.entry(table, key);
        let mut patience = Patience::new();
        loop {
            match self.commands.clone().get(&entry).await {
                Err(error) if patience.holds(&error).await => {}
                answer => return answer.map_err(|error| self.fault(&error)),
            }
        }
    }

    async fn read_each(&self, keys: &[(Table, &str)]) -> Vec<Result<Option<Vec<u8>>, StoreFault>> {
        let mut all = redis::pipe();
        for (table, key) in keys {
            all.get(self.entry(*table, key));
        }
        let mut patience = Patience::new();
        let answer: Result<Vec<Option<Vec<u8>>>, RedisError> = loop {
            match all.query_async(&mut self.commands.clone()).await {
                Err(error) if patience.holds(&error).await => {}
                answer => break answer,
            }
        };
        match answer {
            Ok(entries) if entries.len() == keys.len() => entries.into_iter().map(Ok).collect(),
            Ok(_) => vec![Err(StoreFault("it has answered something else".to_owned())); keys.len()],
            Err(error) => vec![Err(self.fault(&error)); keys.len()],
        }
    }

    async fn swap(
        &self,
        table: Table,
        key: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, StoreFault> {
        let index = self.index(table);
        let mut swap = SWAP.key(format!("{index}:{key}"));
        swap.key(index).arg(key).arg(table.lifetime.map_or(0, millis)).arg(table.most);
        swap.arg(before.map_or(0, |_| 1)).arg(before.unwrap_or_default());
        swap.arg(after.map_or(0, |_| 1)).arg(after.unwrap_or_default());
        let swapped: i64 = swap
            .invoke_async(&mut self.commands.clone())
            .await
            .map_err(|error| self.fault(&error))?;
        if swapped < 0 {
            return Err(StoreFault(format!("{} holds {} entries", self.index(table), table.most)));
        }
        Ok(swapped == 1)
    }

    async fn remove(&self, table: Table, key: &str) -> Result<bool, StoreFault> {
        loop {
            let Some(there) = self.read(table, key).await? else { return Ok(false) };
            if self.swap(table, key, Some(&there), None).await? {
                return Ok(true);
            }
        }
    }

    async fn list(&self, table: Table) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        let list = LIST.key(self.index(table));
        let mut patience = Patience::new();
        loop {
            match list.invoke_async(&mut self.commands.clone()).await {
                Err(error) if patience.holds(&error).await => {}
                answer => return answer.map_err(|error| self.fault(&error)),
            }
        }
    }
}

/// With a server that is gone, or not yet ready. Only for what changes nothing, so that it may be asked twice.
struct Patience {
    begun: Instant,
    back_off: BackOff,
}

impl Patience {
    fn new() -> Self {
        Self { begun: Instant::now(), back_off: BackOff::new() }
    }

    /// Pauses after `error`, if it is worth another attempt.
    async fn holds(&mut self, error: &RedisError) -> bool {
        let loading = ErrorKind::Server(ServerErrorKind::BusyLoading);
        let is_gone = error.is_io_error() || error.is_connection_dropped();
        let holds = (is_gone || error.kind() == loading) && self.begun.elapsed() < PATIENCE;
        if holds {
            self.back_off.pause().await;
        }
        holds
    }
}
