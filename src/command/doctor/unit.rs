//! Whether the systemd units of this home run, if it has some.

use home::{Check, Home, command};

use crate::unit::{Installed, Scope, Systemd, state};

/// One for each unit of this home. There is none where nobody has installed one: most people start SafeClaw by hand.
pub(super) fn checks(home: &Home) -> Vec<Check> {
    let units = Installed::serving(home.root());
    units.into_iter().map(|(scope, unit)| check(scope, &unit)).collect()
}

fn check(scope: Scope, unit: &str) -> Check {
    const NAME: &str = "service";
    match state(Systemd::of(scope), unit) {
        Ok((told, true)) => Check::ok(NAME, told.replace('\n', ";")),
        Ok((told, false)) => {
            let of = named(scope, unit);
            let [start, logs] =
                ["start", "logs"].map(|word| command(&format!("service {word}{of}")));
            let mend = format!("`{start}` starts it, and `{logs}` shows why it ended");
            Check::warn(NAME, told.replace('\n', ";"), mend)
        }
        Err(why) => Check::warn(NAME, why.to_string(), "log in, so that a systemd of yours runs"),
    }
}

/// The options that name a unit, where it is not the usual one.
fn named(scope: Scope, unit: &str) -> String {
    let name = unit.trim_end_matches(".service");
    let name = name.strip_suffix("-agent").or(name.strip_suffix("-router")).unwrap_or(name);
    let system = if scope == Scope::System { " --system" } else { "" };
    let name = if name == "safeclaw" { String::new() } else { format!(" --name {name}") };
    system.to_owned() + &name
}
