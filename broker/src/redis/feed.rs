//! What an agent hears that it did not ask for: the catalogue, and its sessions' events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use protocol::sign::{AHEAD_MOST_MS, About, Kind};
use protocol::{CATALOG_TTL_MS, Catalog, EVENTS_TTL_MS, Event, Millis, SessionKey};
use redis::AsyncCommands;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use super::link::{BackOff, read_clock};
use super::requester::Shared;
use crate::requester::Subscriber;

/// How often the catalogue is looked at: a skill that is dropped in is seen within two seconds.
const LOOK: Duration = Duration::from_millis(750);

/// The longest catalogue or event that is read, in bytes: as on a pipe.
const MOST_BYTES: usize = 4 * 1024 * 1024;

impl Shared {
    pub(super) async fn look_at_catalog(self: Arc<Self>, sender: watch::Sender<Option<Catalog>>) {
        let mut commands = self.commands.clone();
        let mut looks: u32 = 0;
        // Said once, until one is believed again.
        let mut believed = true;
        loop {
            // The clocks of two machines drift slowly: once a minute is often enough.
            if looks.is_multiple_of(80) && read_clock(&mut commands, &self.clock).await.is_err() {
                looks = 0;
                tokio::time::sleep(LOOK).await;
                continue;
            }
            looks = looks.wrapping_add(1);
            if let Ok(published) = commands.get::<_, Option<Vec<u8>>>(self.names.catalog()).await {
                let catalog = published.and_then(|bytes| match self.catalog(&bytes) {
                    Ok(catalog) => Some(catalog),
                    Err(why) => {
                        if believed {
                            tracing::warn!("the router's catalogue is not believed: {why}");
                        }
                        believed = false;
                        None
                    }
                });
                believed |= catalog.is_some();
                sender.send_if_modified(|known: &mut Option<Catalog>| {
                    let changed = *known != catalog;
                    *known = catalog;
                    changed
                });
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// A catalogue, if it is to be believed.
    fn catalog(&self, bytes: &[u8]) -> Result<Catalog, String> {
        let Some(keys) = &self.keys else { return read(bytes) };
        keys.verify(&About::only(Kind::Catalog), bytes).map_err(|why| why.to_string())?;
        let Published { issued_at } = read(bytes)?;
        let (age, ahead) = (self.clock.now().since(issued_at), issued_at.since(self.clock.now()));
        // One that was true once is not put there again.
        if age > Duration::from_millis(2 * CATALOG_TTL_MS)
            || ahead > Duration::from_millis(AHEAD_MOST_MS)
        {
            return Err("it was signed at another time".to_owned());
        }
        read(bytes)
    }

    /// An event, if it is to be believed.
    fn event(&self, session: &SessionKey, bytes: &[u8], seen: &mut Seen) -> Result<Event, String> {
        let Some(keys) = &self.keys else { return read(bytes) };
        let mac = keys.verify(&About::event(session), bytes).map_err(|why| why.to_string())?;
        let event: Event = read(bytes)?;
        if self.clock.now().since(event.at) > Duration::from_millis(EVENTS_TTL_MS) {
            return Err("it is older than a day".to_owned());
        }
        if !seen.is_new(mac) {
            return Err("it was heard before".to_owned());
        }
        Ok(event)
    }

    pub(super) async fn read_events(
        self: Arc<Self>,
        session: SessionKey,
        subscriber: Box<dyn Subscriber>,
    ) {
        let key = self.names.events(&session);
        let mut seen = Seen::default();
        let mut back_off = BackOff::new();
        while !subscriber.has_left() {
            match self.pop_once(&key).await {
                Ok(Some(bytes)) => match self.event(&session, &bytes, &mut seen) {
                    Ok(event) => subscriber.hear(event),
                    Err(why) => tracing::warn!("an event is not believed: {why}"),
                },
                Ok(None) => back_off.reset(),
                Err(_) => back_off.pause().await,
            }
        }
    }
}

/// What stands beside a catalogue when it is signed.
#[derive(Deserialize)]
struct Published {
    issued_at: Millis,
}

/// The macs of the newest events, so that none is heard twice that somebody puts there again.
#[derive(Default)]
struct Seen(VecDeque<String>);

impl Seen {
    /// How many are known: all that a session keeps, and more than come within a day.
    const MOST: usize = 10 * protocol::EVENTS_KEPT;

    fn is_new(&mut self, mac: &str) -> bool {
        if self.0.iter().any(|known| known == mac) {
            return false;
        }
        self.0.push_back(mac.to_owned());
        if self.0.len() > Self::MOST {
            self.0.pop_front();
        }
        true
    }
}

/// Reads what a router has said, unless it is longer than any router's word.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("it has {} bytes, over the limit of {MOST_BYTES}", bytes.len()));
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}
