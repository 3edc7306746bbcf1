//! What an agent hears that it did not ask for: the catalogue, and its sessions' events.

use std::sync::Arc;
use std::time::Duration;

use protocol::{Catalog, Event};
use redis::AsyncCommands;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, watch};

use super::link::{BackOff, read_clock};
use super::requester::Shared;

/// How often the catalogue is looked at: a skill that is dropped in is seen within two seconds.
const LOOK: Duration = Duration::from_millis(750);

/// The longest catalogue or event that is read, in bytes: as on a pipe.
const MOST_BYTES: usize = 4 * 1024 * 1024;

impl Shared {
    pub(super) async fn look_at_catalog(self: Arc<Self>, sender: watch::Sender<Option<Catalog>>) {
        let mut commands = self.commands.clone();
        let mut looks: u32 = 0;
        loop {
            // The clocks of two machines drift slowly: once a minute is often enough.
            if looks.is_multiple_of(80) && read_clock(&mut commands, &self.clock).await.is_err() {
                looks = 0;
                tokio::time::sleep(LOOK).await;
                continue;
            }
            looks = looks.wrapping_add(1);
            if let Ok(published) = commands.get::<_, Option<Vec<u8>>>(self.names.catalog()).await {
                let catalog = published.and_then(|bytes| read(&bytes).ok());
                sender.send_if_modified(|known: &mut Option<Catalog>| {
                    let changed = *known != catalog;
                    *known = catalog;
                    changed
                });
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    pub(super) async fn read_events(self: Arc<Self>, key: String, sender: mpsc::Sender<Event>) {
        let mut back_off = BackOff::new();
        while !sender.is_closed() {
            match self.pop_once(&key).await {
                Ok(Some(bytes)) => match read(&bytes) {
                    Ok(event) => {
                        let _ = sender.send(event).await;
                    }
                    Err(error) => tracing::warn!(%error, "an event can't be read"),
                },
                Ok(None) => back_off.reset(),
                Err(_) => back_off.pause().await,
            }
        }
    }
}

/// Reads what a router has said, unless it is longer than any router's word.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("it has {} bytes, over the limit of {MOST_BYTES}", bytes.len()));
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}
