//! SafeClaw as a systemd unit: what the unit file says, and how systemd is asked.

mod installed;
mod plan;
mod systemd;
mod text;

pub(crate) use installed::{Installed, state};
use plan::UnitError;
pub(crate) use plan::UnitPlan;
pub(crate) use systemd::{Scope, Systemd, SystemdError};

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The name of the units of `name`, without `.service`: that of both in one, the agent's, the router's.
fn names(name: &str) -> [String; 3] {
    ["", "-agent", "-router"].map(|end| format!("{name}{end}"))
}

/// Where units lie.
fn folder(scope: Scope) -> Result<PathBuf, UnitError> {
    match scope {
        Scope::System => Ok(PathBuf::from("/etc/systemd/system")),
        Scope::User => {
            let user = etcetera::choose_base_strategy().map_err(|_| UnitError::NoUser)?;
            Ok(user.config_dir().join("systemd/user"))
        }
    }
}

/// Where a unit lies.
fn path(scope: Scope, name: &str) -> Result<PathBuf, UnitError> {
    Ok(folder(scope)?.join(format!("{name}.service")))
}
