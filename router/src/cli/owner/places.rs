//! Where routers of this home keep what they share.

use std::sync::Arc;

use broker::Store;
use broker::redis::RedisStore;
use home::Home;
use protocol::Millis;

use super::OwnerError;
use crate::config::Settings;
use crate::store::Folder;

/// One place where something may be kept.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// In words.
    pub(super) name: String,
    /// What is there.
    pub(super) store: Arc<dyn Store>,
}

/// Every place: that of `safeclaw`, and the Redis if one is set. A router runs beside one of them or both, and whoever decides
/// something should not have to know which.
pub(super) fn places(home: &Home) -> Result<Vec<Place>, OwnerError> {
    let folder = Folder::at(home.router_state());
    let mut places = vec![Place { name: "this machine".to_owned(), store: Arc::new(folder) }];
    let settings = Settings::read(home)?;
    if let Some(address) = settings.queue.address()? {
        let name = format!("{} at {}", settings.queue.names.commands(), address.shown());
        let store = RedisStore::new(address, settings.queue.names.clone());
        let store = Arc::new(store.map_err(OwnerError::Queue)?);
        places.push(Place { name, store });
    }
    Ok(places)
}

/// The time as questions have it; a minute of difference to the server's clock does no harm here.
pub(super) fn now() -> Millis {
    Millis::of_this_machine()
}
