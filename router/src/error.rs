//! Why a router does not start.

use broker::redis::AddressError;
use home::{FileError, HomeError, LockError};

use crate::cli::{
    AclError, AuditError, KeysNewError, LibraryCliError, OwnerError, QueueError, TrustError,
    WorkError,
};
use crate::config::SettingsError;
use crate::new_skill::NewSkillError;
use crate::policy::PolicyError;

/// Why a router did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(
        "REDIS_URL is not set: put it into .env or the environment (REDIS_URL=redis://localhost:6379), \
        or run `safeclaw`, which needs no Redis"
    )]
    NoRedis,
    #[error("{0}")]
    Queue(String),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    NewSkill(#[from] NewSkillError),
    #[error(transparent)]
    Look(#[from] QueueError),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    Keys(#[from] KeysNewError),
    #[error(transparent)]
    Acl(#[from] AclError),
    /// The library could not do what was asked.
    #[error(transparent)]
    Library(#[from] LibraryCliError),
    #[error("can't test the sandbox: {0}")]
    Attacks(std::io::Error),
    #[error(transparent)]
    Owner(#[from] OwnerError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error("can't print: {0}")]
    Print(std::io::Error),
    #[error("can't listen for signals: {0}")]
    Signals(std::io::Error),
    #[error("can't start the runtime: {0}")]
    Runtime(std::io::Error),
    #[error("can't find this program's own file: {0}")]
    Myself(std::io::Error),
}
