//! Whether the systemd unit of this home runs, if it has one.

use home::{Check, Home, command};

use crate::unit::{Installed, Scope, Systemd, state};

/// Nothing where no unit of this home is installed: most people start SafeClaw by hand.
pub(super) fn check(home: &Home) -> Option<Check> {
    const NAME: &str = "service";
    let installed = Installed::find(Scope::User, "safeclaw").ok().flatten()?;
    if !installed.serves(home.root()) {
        return None;
    }
    let mut checks =
        installed.units.iter().map(|unit| match state(Systemd::of(Scope::User), unit) {
            Ok((told, true)) => Check::ok(NAME, told.replace('\n', ";")),
            Ok((told, false)) => {
                let mend = format!(
                    "`{}` starts it, and `{}` shows why it ended",
                    command("service start"),
                    command("service logs")
                );
                Check::warn(NAME, told.replace('\n', ";"), mend)
            }
            Err(why) => {
                Check::warn(NAME, why.to_string(), "log in, so that a systemd of yours runs")
            }
        });
    checks.next()
}
