//! Why nothing was decided.

use broker::StoreFault;
use broker::redis::AddressError;
use protocol::{NameError, Stopped, TermsError};

use crate::audit::Unrecorded;
use crate::config::SettingsError;
use crate::pin::PinError;

/// Why nothing was decided, in words that say what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OwnerError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("{0}")]
    Queue(String),
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("--times, --for: {0}")]
    Terms(#[from] TermsError),
    #[error("what the routers share can't be used: {0}")]
    Store(#[from] StoreFault),
    #[error(
        "no {kind} begins with {id}; `{}` lists what there is",
        home::router_command("approvals")
    )]
    NoSuch { kind: &'static str, id: String },
    #[error("several begin with {0}; give more of the id")]
    Ambiguous(String),
    #[error(transparent)]
    Unrecorded(#[from] Unrecorded),
    #[error("{}", .0.message)]
    Refused(Stopped),
    #[error("nobody can be asked here; {0}")]
    NotAsked(&'static str),
    #[error("nothing is known of a session {0}; `{list}` lists them", list = home::router_command("sessions"))]
    NoSession(String),
    #[error("{0}")]
    Pin(&'static str),
    #[error(transparent)]
    PinLock(#[from] PinError),
    #[error("can't print or read: {0}")]
    Print(#[from] std::io::Error),
}
