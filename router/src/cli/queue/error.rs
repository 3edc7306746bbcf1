//! Why a command of `queue` came to nothing.

use broker::redis::AddressError;
use broker::redis::look::{Look, LookError, NoCommand, Target};

use crate::audit::Unrecorded;
use crate::config::SettingsError;
use crate::owner::Again;

/// Why a look or a change came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueueError {
    #[error(
        "REDIS_URL is not set, so there is no queue to look at: put it into .env or the environment \
        (REDIS_URL=redis://localhost:6379). The queue of `safeclaw` lives inside its process alone"
    )]
    NoRedis,
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Look(#[from] LookError),
    #[error(transparent)]
    Unrecorded(#[from] Unrecorded),
    #[error(
        "no command has the id {id}: none in the lanes (again, stale, hi, queue, lo) or in a router's \
        hands, no dead letter, and no end that is remembered (for 10 minutes); looked in {place}"
    )]
    UnknownId { id: String, place: String },
    #[error(
        "no dead letter has the name {name}; `{}` lists them; looked in {place}",
        home::router_command("queue dead")
    )]
    UnknownLetter { name: String, place: String },
    #[error("{id} has no dead letter, and nothing else can be sent again; `{}` tells", home::router_command(&format!("queue show {id}")))]
    NotDead { id: String },
    #[error("{id} can't be sent again: {why}")]
    NoCommand { id: String, why: NoCommand },
    #[error(
        "{id} may have been executed, and its effect may come twice; pass --yes-run-again to run it \
        again"
    )]
    MayHaveRun { id: String },
    #[error(transparent)]
    Again(#[from] Again),
    #[error("there is nothing to drop: {0}")]
    NothingToDrop(String),
    #[error("nobody can be asked here; pass --yes to drop {id}")]
    NotAsked { id: String },
    #[error("can't ask: {0}")]
    Ask(#[from] std::io::Error),
}

/// That nothing is known of `target`.
pub(super) fn unknown(look: &Look, target: &Target) -> QueueError {
    let place = look.shown();
    match target {
        Target::Id(id) => QueueError::UnknownId { id: id.to_string(), place },
        Target::Letter(name) => QueueError::UnknownLetter { name: name.as_str().to_owned(), place },
    }
}
