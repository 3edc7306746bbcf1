//! How a call of a skill fails, split by who can mend it.

use std::time::Duration;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

/// Why nothing was started, and what mends it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{why}; {fix}")]
pub struct NotStarted {
    /// What is wrong.
    pub why: String,
    /// What to do about it.
    pub fix: String,
}

impl NotStarted {
    pub(super) fn new(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { why: why.into(), fix: fix.into() }
    }
}

/// Why a call gave no output.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It took too long and was killed with everything that it had started.
    #[error("it did not finish within {} s and was stopped", after.as_secs_f64())]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// It printed too much and was killed.
    #[error("it printed more than {limit} bytes and was stopped")]
    TooMuchOutput {
        /// The limit in bytes.
        limit: usize,
    },
    /// It ended on its own with a code other than 0, or, when it should have stayed, with any code.
    #[error("it ended with code {code}{}", colon(last_stderr_line))]
    Exited {
        /// Its exit code.
        code: i32,
        /// The last line on stderr that is not empty, or nothing.
        last_stderr_line: String,
    },
    /// A signal ended it: a crash, or a limit that the kernel holds.
    #[error("it was killed by {signal}{}{}", meaning(*signal), colon(last_stderr_line))]
    Killed {
        /// The signal.
        signal: Signal,
        /// The last line on stderr that is not empty, or nothing.
        last_stderr_line: String,
    },
    /// Nothing ran: the skill cannot be started as it is, or its place could not be prepared.
    #[error(transparent)]
    NotStarted(#[from] NotStarted),
    /// Nothing ran: this machine cannot hold the skill in.
    #[error("the sandbox refuses to run it: {why}")]
    Refused {
        /// What is missing, and how to get it.
        why: String,
    },
    /// A pipe to the process broke in a way that a skill cannot cause.
    #[error("the connection to its process broke")]
    Broken(#[source] std::io::Error),
}

fn colon(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!(": {line}") }
}

fn meaning(signal: Signal) -> &'static str {
    match signal {
        Signal::SIGXFSZ => " (it wrote a larger file than it may)",
        Signal::SIGXCPU => " (it used up its processor time)",
        Signal::SIGKILL => " (memory ran out, or somebody stopped it)",
        Signal::SIGSYS => " (it made a system call that no skill may make)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_read_as_sentences() {
        let errors = [
            RunError::TimedOut { after: Duration::from_millis(1500) },
            RunError::TooMuchOutput { limit: 10 },
            RunError::Exited { code: 3, last_stderr_line: String::new() },
            RunError::Exited { code: 3, last_stderr_line: "no such city".to_owned() },
            RunError::Killed { signal: Signal::SIGXFSZ, last_stderr_line: String::new() },
            RunError::NotStarted(NotStarted::new("run is missing", "add it")),
            RunError::Refused { why: "no namespaces".to_owned() },
        ];
        assert_eq!(
            errors.map(|error| error.to_string()),
            [
                "it did not finish within 1.5 s and was stopped",
                "it printed more than 10 bytes and was stopped",
                "it ended with code 3",
                "it ended with code 3: no such city",
                "it was killed by SIGXFSZ (it wrote a larger file than it may)",
                "run is missing; add it",
                "the sandbox refuses to run it: no namespaces",
            ]
        );
    }
}
