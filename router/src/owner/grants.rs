//! What people have allowed for a while, and taking it back.

use super::OwnerError;
use super::places::{StorePlace, now};
use crate::audit::{Deed, OwnersLog};
use crate::grants::Grants;
use crate::policy::Grant;

/// What is allowed now, with where that is kept.
///
/// # Errors
/// [`OwnerError::Store`].
pub(crate) async fn held(places: &[StorePlace]) -> Result<Vec<(StorePlace, Grant)>, OwnerError> {
    let mut all = Vec::new();
    for place in places {
        let held = Grants::new(place.store.clone()).held(now()).await?;
        all.extend(held.into_iter().map(|grant| (place.clone(), grant)));
    }
    Ok(all)
}

/// Takes the grant back whose id begins with `id`, and tells which it was.
///
/// # Errors
/// [`OwnerError`] when there is none, or more than one.
pub(crate) async fn revoke(
    deeds: &OwnersLog,
    places: &[StorePlace],
    id: &str,
) -> Result<Grant, OwnerError> {
    let named = held(places).await?.into_iter().filter(|(_, grant)| grant.id.starts_with(id));
    let mut found: Vec<_> = named.collect();
    match (found.pop(), found.pop()) {
        (Some((place, grant)), None) => {
            let grants = Grants::new(place.store);
            let taken = async { Ok::<_, OwnerError>(grants.take_back(&grant.id).await?) };
            deeds.doing(&Deed::Revoke((&grant).into()), taken).await?;
            Ok(grant)
        }
        (None, _) => Err(OwnerError::NoSuch { kind: "grant", id: id.to_owned() }),
        _ => Err(OwnerError::Ambiguous(id.to_owned())),
    }
}
