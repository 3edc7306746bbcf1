//! An attack's own process: the same program in the sandbox and without it.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::attack::{ATTACKS, Answer};
use super::processes;
use super::target::Target;

/// What the names of attacks begin with where a built-in skill's name would stand; a random word follows, by
/// which the router finds the processes.
pub(super) const NAME: &str = "attack-";

/// What the process is to do, on its stdin.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) attack: String,
    pub(super) target: Target,
}

/// Whether a built-in skill's name means an attack.
#[must_use]
pub fn is_attack(name: &str) -> bool {
    name.starts_with(NAME)
}

/// Runs the attack that stdin names, and tells on stdout what became of it.
#[must_use]
pub fn run_attack() -> ExitCode {
    match ordered() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            home::say_on_stderr!(
                "this command is for the router itself, which tells it what to do: {error}"
            );
            ExitCode::FAILURE
        }
    }
}

fn ordered() -> io::Result<()> {
    let mut order = String::new();
    io::stdin().read_to_string(&mut order)?;
    let order: Order = serde_json::from_str(&order)?;
    let answer = match ATTACKS.iter().find(|attack| attack.name == order.attack) {
        Some(attack) => (attack.run)(&order.target),
        None if order.attack == processes::LINGER => processes::linger()?,
        None => Answer::Moot("there is no such attack".to_owned()),
    };
    let mut stdout = io::stdout();
    writeln!(stdout, "{}", serde_json::to_string(&answer)?)?;
    stdout.flush()
}
