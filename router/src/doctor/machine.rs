//! router/governance.json: whether it can be read, and which folders are open.

use home::{Check, Home};

use crate::policy;

const NAME: &str = "this machine";

pub(super) fn check(home: &Home) -> Check {
    let mend = || home::router_command("governance check");
    let lists = match policy::governance(&home.router().join("governance.json")) {
        Ok(lists) => lists,
        Err(error) => {
            let seen = error.to_string().replace('\n', " ");
            return Check::fail(NAME, seen, format!("mend it; {} tells what is right", mend()));
        }
    };
    let problems = policy::problems(&lists, home.root());
    match problems.as_slice() {
        [] => {
            let count = policy::opened(&lists, home.root()).len();
            Check::ok(
                NAME,
                format!(
                    "router/governance.json holds, {count} folders are open to /exec and /read"
                ),
            )
        }
        [first, more @ ..] => {
            let more =
                if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
            Check::warn(NAME, format!("a folder is not open: {first}{more}"), mend())
        }
    }
}

#[cfg(test)]
mod tests {
    use testkit::TempHome;

    use super::*;

    #[test]
    fn a_broken_list_and_a_folder_that_is_not_open_are_told() {
        let home = TempHome::new();
        let found = Home::find(Some(home.root())).unwrap();
        let said = || format!("{:?}", check(&found));
        assert!(said().contains("0 folders are open"), "{}", said());
        home.put("router/governance.json", r#"{"paths": {"allowed": ["/etc", "/nowhere"]}}"#);
        assert!(said().contains("/etc belongs to the system, and 1 more"), "{}", said());
        home.put("router/governance.json", r#"{"path": {}}"#);
        assert!(said().contains("did you mean paths?"), "{}", said());
    }
}
