//! What a router remembers of yesterday, and what several routers share: approvals, grants, sessions and the kill switch, in the
//! [`Store`] of the place where the queue is.

mod folder;
mod switch;
mod tables;
pub mod traffic;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use broker::{Store, StoreFault, Table};
pub use folder::Folder;
pub use switch::Switch;
pub use tables::{APPROVALS, GRANTS, LINKS, NET, PINS, SESSIONS, SPENT, SWITCH, WORK};
pub use traffic::{Hosts, Traffic, TrafficBook};

/// How often a change is tried again that nobody knows the end of.
const FAULTS: usize = 2;

/// How often a change is tried while others change the same entry.
const ATTEMPTS: usize = 100;

/// What the entry that was `seen` under `key` says.
///
/// # Errors
/// [`StoreFault`] when it can't be read as a `T`.
pub fn read_seen<T: DeserializeOwned>(
    (table, key): (Table, &str),
    seen: Option<&[u8]>,
) -> Result<Option<T>, StoreFault> {
    seen.map(|bytes| parsed(table, key, bytes)).transpose()
}

/// All entries of `table`. One that can't be read is left out with a warning: it must not hide the others.
///
/// # Errors
/// [`StoreFault`].
pub async fn list<T: DeserializeOwned>(
    store: &dyn Store,
    table: Table,
) -> Result<Vec<(String, T)>, StoreFault> {
    let entries = store.list(table).await?.into_iter();
    let read = |(key, bytes): (String, Vec<u8>)| match parsed(table, &key, &bytes) {
        Ok(entry) => Some((key, entry)),
        Err(fault) => {
            tracing::warn!("{fault}");
            None
        }
    };
    Ok(entries.filter_map(read).collect())
}

/// Changes the entry under `key` (`None`: nothing stands there) by `change`, which is asked again when somebody else was
/// faster, and gives what `change` gave beside it. An entry that comes out as it went in is not written.
///
/// # Errors
/// [`StoreFault`].
pub async fn update<T, R>(
    store: &dyn Store,
    table: Table,
    key: &str,
    change: impl FnMut(Option<T>) -> (Option<T>, R) + Send,
) -> Result<R, StoreFault>
where
    T: DeserializeOwned + Serialize + Send,
    R: Send,
{
    let seen = store.read(table, key).await?;
    update_seen(store, (table, key), seen, change).await
}

/// The same for an entry that has just been `seen` so.
///
/// # Errors
/// [`StoreFault`].
pub async fn update_seen<T, R>(
    store: &dyn Store,
    (table, key): (Table, &str),
    seen: Option<Vec<u8>>,
    mut change: impl FnMut(Option<T>) -> (Option<T>, R) + Send,
) -> Result<R, StoreFault>
where
    T: DeserializeOwned + Serialize + Send,
    R: Send,
{
    let mut seen = Some(seen);
    let mut faults = 0;
    let mut unsure: Option<(Option<Vec<u8>>, R)> = None;
    for _ in 0..ATTEMPTS {
        let before = match seen.take() {
            Some(seen) => seen,
            None => store.read(table, key).await?,
        };
        if let Some((_, given)) = unsure.take_if(|(after, _)| *after == before) {
            return Ok(given);
        }
        let entry = before.as_deref().map(|bytes| parsed(table, key, bytes)).transpose()?;
        let (after, given) = change(entry);
        // Entries are plain data and always have a JSON form.
        let after = after.map(|after| serde_json::to_vec(&after).unwrap_or_default());
        if after == before {
            return Ok(given);
        }
        match store.swap(table, key, before.as_deref(), after.as_deref()).await {
            Ok(true) => return Ok(given),
            Ok(false) => {}
            Err(fault) if faults == FAULTS => return Err(fault),
            // The answer may be what was lost; then what stands there tells.
            Err(_) => {
                faults += 1;
                unsure = Some((after, given));
            }
        }
    }
    Err(StoreFault(format!("{} {key} is changed by others all the time", table.name)))
}

fn parsed<T: DeserializeOwned>(table: Table, key: &str, bytes: &[u8]) -> Result<T, StoreFault> {
    serde_json::from_slice(bytes).map_err(|error| {
        StoreFault(format!("what is kept in {} under {key} can't be read: {error}", table.name))
    })
}
