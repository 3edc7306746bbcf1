//! The questions that wait for a person, and the owner's answers to them.

use protocol::Principal;

use super::OwnerError;
use super::places::{StorePlace, now};
use crate::audit::{Deed, OwnersLog};
use crate::grants::{Grants, on_terms};
use crate::policy::approval::{Answer, Approvals, Parked};
use crate::policy::{Grant, Scope};
use crate::session::Sessions;

/// One question, with its place.
#[derive(Debug)]
pub(crate) struct Asking {
    /// Where it is kept.
    pub(crate) place: StorePlace,
    /// Its id.
    pub(crate) id: String,
    /// What it asks.
    pub(crate) parked: Parked,
}

/// The questions that wait.
///
/// # Errors
/// [`OwnerError::Store`].
pub(crate) async fn waiting(places: &[StorePlace]) -> Result<Vec<Asking>, OwnerError> {
    let mut all = Vec::new();
    for place in places {
        let open = Approvals::new(place.store.clone()).open().await?.into_iter();
        all.extend(open.map(|(id, parked)| Asking { place: place.clone(), id, parked }));
    }
    Ok(all)
}

/// The question whose id begins with `id`.
///
/// # Errors
/// [`OwnerError`] when there is none, or more than one.
pub(crate) async fn find(places: &[StorePlace], id: &str) -> Result<Asking, OwnerError> {
    let mut found = waiting(places).await?.into_iter().filter(|asking| asking.id.starts_with(id));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(OwnerError::Ambiguous(id.to_owned())),
        (None, _) => Err(OwnerError::NoSuch { kind: "question", id: id.to_owned() }),
    }
}

/// Gives an answer in the name of `me`, once it is written down, and what it allows from now on.
///
/// # Errors
/// [`OwnerError`]; then nothing was answered.
pub(crate) async fn answer(
    deeds: &OwnersLog,
    asking: &Asking,
    answer: &Answer,
    me: &Principal,
) -> Result<Option<Grant>, OwnerError> {
    let Asking { place, parked, .. } = asking;
    let scope = deeds.doing(&Deed::answer_to(parked, answer), take(place, answer, me)).await?;
    let Some((scope, terms)) = scope.zip(answer.always) else { return Ok(None) };
    let grant = on_terms(scope, terms, me, now());
    deeds.doing(&Deed::Grant((&grant).into()), give(place, grant.clone(), me)).await.map(Some)
}

/// Allows it from now on, and what waits that is just like it.
async fn give(place: &StorePlace, mut grant: Grant, me: &Principal) -> Result<Grant, OwnerError> {
    Approvals::new(place.store.clone()).release(&mut grant, me, now()).await?;
    Grants::new(place.store.clone()).give(&grant).await?;
    Ok(grant)
}

async fn take(
    place: &StorePlace,
    answer: &Answer,
    me: &Principal,
) -> Result<Option<Scope>, OwnerError> {
    let questions = Approvals::new(place.store.clone());
    let answered = questions.answer(answer, me.clone(), None, now()).await;
    let (parked, scope) = answered.map_err(OwnerError::Refused)?;
    if !answer.yes {
        Sessions::new(place.store.clone()).refuse(&parked.command, parked.digest).await?;
    }
    Ok(scope)
}
