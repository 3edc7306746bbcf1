//! Why a command of the router did nothing.

use home::{FileError, HomeError};

use super::audit::AuditError;
use super::keys::KeysNewError;
use super::library::LibraryCliError;
use super::notify::NotifyError;
use super::queue::QueueError;
use super::redis_acl::AclError;
use super::trust::TrustError;
use super::window::WindowError;
use super::work::WorkError;
use crate::config::SettingsError;
use crate::explain::ExplainError;
use crate::owner::OwnerError;
use crate::policy::PolicyError;
use crate::start::StartError;
use repertoire::new_skill::NewSkillError;

/// Why a command of the router did nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The router does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    File(#[from] FileError),
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
    /// The owner's address is as it was.
    #[error(transparent)]
    Notify(#[from] NotifyError),
    #[error("can't test the sandbox: {0}")]
    Attacks(std::io::Error),
    #[error(transparent)]
    Owner(#[from] OwnerError),
    #[error(transparent)]
    Window(#[from] WindowError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Explain(#[from] ExplainError),
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error("can't start the runtime: {0}")]
    Runtime(std::io::Error),
    #[error("can't find this program's own file: {0}")]
    Myself(std::io::Error),
}
