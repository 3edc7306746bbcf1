//! Where routers of this home keep what they share.

use std::sync::Arc;

use broker::Store;
use broker::redis::RedisStore;
use home::Home;
use protocol::Millis;

use super::OwnerError;
use crate::audit::OwnersLog;
use crate::config::Settings;
use shared::Folder;

/// One place where something may be kept.
#[derive(Debug, Clone)]
pub(crate) struct StorePlace {
    /// In words.
    pub(crate) name: String,
    /// What is there.
    pub(crate) store: Arc<dyn Store>,
}

/// Every place: that of `safeclaw`, and the Redis if one is set. A router runs beside one of them or both, and whoever decides
/// something should not have to know which.
pub(crate) fn places(home: &Home) -> Result<Vec<StorePlace>, OwnerError> {
    let mut places = vec![local(home)];
    let settings = Settings::read(home)?;
    if let Some(address) = settings.queue.address()? {
        let name = format!("{} at {}", settings.queue.names.commands(), address.shown());
        let store = RedisStore::new(address, settings.queue.names.clone());
        let store = Arc::new(store.map_err(OwnerError::Queue)?);
        places.push(StorePlace { name, store });
    }
    Ok(places)
}

/// That of `safeclaw`, which is there whatever the settings say.
pub(crate) fn local(home: &Home) -> StorePlace {
    let folder = Folder::at(home.router_state());
    StorePlace { name: "this machine".to_owned(), store: Arc::new(folder) }
}

/// Where what the owner decides is written down. Settings that can't be read hide no secret here, and name none.
pub(crate) fn deeds(home: &Home) -> OwnersLog {
    let secrets = Settings::read(home).map(|settings| settings.secrets).unwrap_or_default();
    OwnersLog::of(home, secrets)
}

/// The time as questions have it; a minute of difference to the server's clock does no harm here.
pub(crate) fn now() -> Millis {
    Millis::of_this_machine()
}
