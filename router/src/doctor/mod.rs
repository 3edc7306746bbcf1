//! A checkup of the router's side: settings, policy, PIN, skills, where NOTIFY sends to, what tells the meaning of papers, the audit
//! log, the queue, the window, the sandbox, which it attacks, the workbench, and what may be done on this machine.
//! It writes nothing to the home.

mod books;
mod library;
mod machine;
mod notify;
mod pin;
mod queue;
mod rules;
mod skills;
mod walls;
mod window;
mod workbench;

use home::{Check, Home};

use crate::config::Settings;
use crate::sandbox::SelfCommand;

/// How to mend what a settings file refuses.
const MEND: &str = "change what is named there; the router does not start before";

/// Looks at everything that a router of `home` needs. `me` is how the router starts its own binary again.
pub async fn checks(home: &Home, me: &SelfCommand) -> Vec<Check> {
    const NAME: &str = "router settings";
    let mut checks = Vec::new();
    match Settings::look(home) {
        Ok(settings) => {
            checks.push(Check::ok(NAME, "router/config.json and router/.env can be read"));
            checks.push(rules::check(home));
            checks.push(pin::check(home));
            checks.extend(skills::checks(home, &settings));
            checks.extend(notify::check(&settings).await);
            checks.extend(library::check(&settings).await);
            checks.extend(queue::checks(home, &settings).await);
            checks.extend(window::check(home, &settings).await);
        }
        Err(error) => {
            checks.push(Check::fail(NAME, error.to_string(), MEND));
            checks.push(rules::check(home));
        }
    }
    checks.push(books::check(home));
    checks.push(walls::check(me).await);
    checks.push(workbench::check(me).await);
    checks.push(machine::check(home));
    checks
}
