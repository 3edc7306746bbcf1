//! What the routers of one installation share, beside the queue itself: small entries in a few tables.

use std::time::Duration;

use async_trait::async_trait;

/// A table of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Table {
    /// Its name: `[a-z]+`.
    pub name: &'static str,
    /// How long an entry stays after its last change; `None`: for ever.
    pub lifetime: Option<Duration>,
    /// How many entries it holds at most.
    pub most: usize,
    /// Whether a change is on the disk before it is said to be done, so that a crash of the machine can't undo it. On Redis that
    /// is the server's to keep (`appendfsync`).
    pub synced: bool,
}

/// Why the store can't be used, for the operator. What can't be read or written decides nothing: whoever asks for it
/// refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreFault(pub String);

/// An entry that is read, changed and put back only if nobody else has changed it meanwhile.
///
/// A key is 1 to 128 of `A-Z a-z 0-9 _ . : -`, and not dots alone.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug {
    /// What stands under `key`.
    ///
    /// # Errors
    /// [`StoreFault`].
    async fn read(&self, table: Table, key: &str) -> Result<Option<Vec<u8>>, StoreFault>;

    /// What stands under each of these keys, in their order. Where the way to the store is long it is gone once for all of
    /// them.
    async fn read_each(&self, keys: &[(Table, &str)]) -> Vec<Result<Option<Vec<u8>>, StoreFault>> {
        let mut entries = Vec::with_capacity(keys.len());
        for (table, key) in keys {
            entries.push(self.read(*table, key).await);
        }
        entries
    }

    /// Puts `after` (`None`: nothing) in the place of `before` (`None`: nothing stands there); `false` when something
    /// else stands there, and nothing has changed.
    ///
    /// # Errors
    /// [`StoreFault`], also when the table is full.
    async fn swap(
        &self,
        table: Table,
        key: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, StoreFault>;

    /// Takes away what stands under `key`, readable or not; `false` when nothing does.
    ///
    /// # Errors
    /// [`StoreFault`].
    async fn remove(&self, table: Table, key: &str) -> Result<bool, StoreFault>;

    /// All entries of `table` in the order of their keys.
    ///
    /// # Errors
    /// [`StoreFault`].
    async fn list(&self, table: Table) -> Result<Vec<(String, Vec<u8>)>, StoreFault>;
}
