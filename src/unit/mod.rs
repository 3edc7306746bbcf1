//! SafeClaw as a systemd unit: what the unit file says, and how systemd is asked.

mod installed;
mod plan;
mod systemd;
mod text;

pub(crate) use installed::{Installed, state};
use plan::UnitError;
pub(crate) use plan::{UnitPlan, user_of};
pub(crate) use systemd::{Scope, Systemd, SystemdError};

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// What units are called unless a person says otherwise.
pub(crate) const NAME: &str = "safeclaw";

/// The name of the units of `name`, without `.service`: that of both in one, the agent's, the router's.
fn names(name: &str) -> [String; 3] {
    ["", "-agent", "-router"].map(|end| format!("{name}{end}"))
}

/// What a person types to have `service` do something with the units of this name.
pub(crate) fn command(word: &str, scope: Scope, name: &str) -> String {
    let mut words = format!("service {word}");
    if scope == Scope::System {
        words.push_str(" --system");
    }
    if name != NAME {
        words.push_str(&format!(" --name {name}"));
    }
    home::command(&words)
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
