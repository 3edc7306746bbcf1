//! The PIN: whether one is set, and can be checked.

use home::{Check, Home};

use crate::pin;
use crate::policy::load;

const NAME: &str = "PIN";

pub(super) fn check(home: &Home) -> Check {
    let set = home::router_command("pin set");
    match pin::is_set(&home.router()) {
        Ok(true) => Check::ok(NAME, "one is set, and each chat enters it once a day"),
        Ok(false) if is_meant(home) => Check::warn(
            NAME,
            "none is set, so what [pin] in router/policy.toml names is not guarded",
            format!("{set} sets one"),
        ),
        Ok(false) => Check::ok(NAME, format!("none is set; {set} sets one")),
        Err(error) => {
            Check::fail(NAME, error.to_string(), "until then, what it guards does not run")
        }
    }
}

/// Whether the policy names what a PIN is to guard.
fn is_meant(home: &Home) -> bool {
    load(&home.router().join("policy.toml")).is_ok_and(|checked| !checked.rules.pin.is_empty())
}

#[cfg(test)]
mod tests {
    use home::Status;
    use protocol::Pin;

    use super::*;

    #[test]
    fn it_tells_how_the_pin_stands() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        std::fs::create_dir_all(home.router()).unwrap();
        let put = |name: &str, text: &str| std::fs::write(home.router().join(name), text).unwrap();
        assert_eq!(check(&home).status, Status::Ok, "none is set, and none is meant");
        put("policy.toml", "[effects]\nnone = 'allow'\n[pin]\nfor = ['NOTIFY']\n");
        assert_eq!(check(&home).status, Status::Warn);
        pin::set(&home.router(), Pin::typed("493817").unwrap()).unwrap();
        assert_eq!(check(&home).status, Status::Ok);
        put("pin.json", "{}");
        assert_eq!(check(&home).status, Status::Fail);
    }
}
