//! What happens in the launcher's own processes; nothing here runs in the router itself.
//!
//! `launch` is the first stage and `init` the second. Both are the router's binary, started again, because a
//! fresh process has one thread and nothing in its memory: it can change what it is without a fork.

mod bind;
mod confine;
mod detached;
mod failure;
mod forward;
mod git;
mod identity;
mod init;
mod landlock;
mod launch;
mod lent;
mod loopback;
mod mounts;
mod owners;
mod plan;
mod refused;
mod rlimits;
mod seccomp;
mod start;
mod system;

use std::io::{self, Write};
use std::process::ExitCode;

pub(super) use failure::FAILED;
pub use forward::PORT;
pub use identity::UNPRIVILEGED;
pub(super) use plan::Plan;

/// The name of the subcommand that a binary must hand to [`run_stage`].
pub const LAUNCH: &str = "launch";

/// The argument of [`LAUNCH`] that means the second stage.
pub(super) const INIT: &str = "init";

/// Runs a stage of the launcher: the first without an argument, the second with `init`, and `hold` for a process that
/// only holds a namespace. Call it before
/// anything else is set up, above all before there is a second thread: the kernel lets only a process with
/// one thread into a new user namespace.
#[must_use]
pub fn run_stage(argument: Option<&str>) -> ExitCode {
    if argument == Some(owners::HOLD) {
        return owners::hold().unwrap_or(ExitCode::from(FAILED));
    }
    let plan = match Plan::from_stdin() {
        Ok(plan) => plan,
        Err(error) => {
            // Nobody has to listen: the exit code tells it as well.
            let _ = writeln!(
                io::stderr(),
                "this command is for the router itself, which tells it what to do: {error}"
            );
            return ExitCode::from(FAILED);
        }
    };
    let run = if argument == Some(INIT) { init::run } else { launch::run };
    run(&plan).unwrap_or_else(|failure| failure::report(&plan, failure))
}
