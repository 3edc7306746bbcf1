//! The kill switch in every place.

use home::Home;
use protocol::Stopped;

use super::OwnerError;
use super::places::{StorePlace, local, places};
use crate::audit::{Deed, OwnersLog, Unrecorded};
use shared::StoreFault;
use shared::Switch;

/// How throwing the switch went.
#[derive(Debug)]
pub(crate) struct Thrown {
    /// Each place by its name, and why it is not stopped there.
    pub(crate) places: Vec<(String, Option<StoreFault>)>,
    /// Why not all places could be found.
    pub(crate) unread: Option<OwnerError>,
    /// Whether it was written down. The stop is in force in either case.
    pub(crate) recorded: Result<(), Unrecorded>,
}

/// Throws the switch in every place that can be reached in the name of `me`, and then writes it down: nothing keeps a stop from
/// stopping.
pub(crate) async fn throw(home: &Home, deeds: &OwnersLog, me: &str) -> Thrown {
    let (all, unread) = match places(home) {
        Ok(all) => (all, None),
        Err(error) => (vec![local(home)], Some(error)),
    };
    let mut places = Vec::new();
    for StorePlace { name, store } in all {
        let thrown = Switch::new(store).throw(me).await;
        places.push((name, thrown.err()));
    }
    let fault = places.iter().find_map(|(_, fault)| fault.as_ref().map(ToString::to_string));
    let failed = unread.as_ref().map(ToString::to_string).or(fault);
    let recorded = deeds.done(&Deed::Stop, failed.as_deref());
    Thrown { places, unread, recorded }
}

/// Puts it back in every place, once that is written down, and tells for each whether it was thrown.
///
/// # Errors
/// [`OwnerError`].
pub(crate) async fn put_back(
    home: &Home,
    deeds: &OwnersLog,
) -> Result<Vec<(String, bool)>, OwnerError> {
    let all = async {
        let mut done = Vec::new();
        for StorePlace { name, store } in places(home)? {
            done.push((name, Switch::new(store).put_back().await?));
        }
        Ok(done)
    };
    deeds.doing(&Deed::Resume, all).await
}

/// Why everything is stopped at this place, if it is. What can't be read counts as stopped.
pub(crate) async fn is_thrown(place: &StorePlace) -> Option<Stopped> {
    Switch::new(place.store.clone()).check().await.err()
}
