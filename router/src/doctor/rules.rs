//! The policy: whether a router would start with it.

use home::{Check, Home};

use crate::policy::{Checked, Fault, PolicyError, load};

const NAME: &str = "policy";

pub(super) fn check(home: &Home) -> Check {
    let path = home.router().join("policy.toml");
    if !path.exists() {
        return Check::ok(NAME, "none yet; the first start writes the default one");
    }
    match load(&path) {
        Ok(Checked { rules, warnings }) if warnings.is_empty() => {
            Check::ok(NAME, format!("router/policy.toml holds, {} rules", rules.rules.len()))
        }
        Ok(Checked { warnings, .. }) => {
            Check::warn(NAME, told(&warnings), home::router_command("policy check"))
        }
        Err(PolicyError::Broken { faults, .. }) => Check::fail(
            NAME,
            told(&faults),
            format!("{} tells what to write instead", home::router_command("policy check")),
        ),
        Err(error) => {
            Check::fail(NAME, error.to_string(), "give the file to the user who runs the router")
        }
    }
}

/// The first fault, and how many there are.
fn told(faults: &[Fault]) -> String {
    let Some(first) = faults.first() else { return "it can't be used".to_owned() };
    let more = match faults.len() {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    format!("router/policy.toml line {}: {}{more}", first.place.line, first.why)
}
