//! How a stage fails, and how it tells the router.

use std::io::{self, Write};
use std::process::ExitCode;

use super::plan::Plan;
use crate::NotStarted;

/// The exit code of a stage that failed; what the router believes is the report, for a skill may end with
/// this code too.
pub(crate) const FAILED: u8 = 125;

/// Why the skill was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The kernel refused a step of the preparation.
    #[error("cannot {step}: {source}")]
    Step {
        /// What was tried.
        step: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The place is ready, but the program cannot be started in it.
    #[error(transparent)]
    Program(#[from] NotStarted),
}

/// Names the step that an error belongs to.
pub(super) trait Trying<T> {
    /// The error becomes `cannot <step>: <error>`.
    fn trying(self, step: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> Trying<T> for Result<T, E> {
    fn trying(self, step: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| Failure::Step { step: step.into(), source: error.into() })
    }
}

/// Tells the router on stderr why nothing was started.
pub(super) fn report(plan: &Plan, failure: Failure) -> ExitCode {
    let not_started = match failure {
        Failure::Program(not_started) => not_started,
        step @ Failure::Step { .. } => NotStarted::new(
            format!("the sandbox could not be set up: {step}"),
            "see what this machine allows in the router's log of its start",
        ),
    };
    // A report that cannot be written leaves the exit code, which says enough to refuse.
    if let Ok(json) = serde_json::to_string(&not_started) {
        let _ = writeln!(io::stderr(), "{} {json}", plan.token);
    }
    ExitCode::from(FAILED)
}
