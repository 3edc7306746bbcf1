//! What is wrong with a policy file, and what mends it.

use std::fmt;
use std::path::PathBuf;

use super::then::Place;

/// Something in the file that can't stand, or that should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub why: String,
    /// What to write instead.
    pub fix: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: Place { line, text }, why, fix } = self;
        write!(f, "line {line} ({text}): {why}; {fix}")
    }
}

/// A policy that can't be used. Nothing may run under a policy that nobody can read.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file can't be read.
    #[error(transparent)]
    File(#[from] home::FileError),
    /// It is no text.
    #[error("{}: it is not text in UTF-8; save it as UTF-8", .0.display())]
    NotText(PathBuf),
    /// It holds something that is no rule.
    #[error("{}:{}", path.display(), lines(faults))]
    Broken {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong, by line.
        faults: Vec<Fault>,
    },
    /// router/governance.json holds something that it can't.
    #[error("{}:{}", path.display(), faults.iter().map(|fault| format!("\n  {fault}")).collect::<String>())]
    Ungoverned {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong.
        faults: Vec<governance::Mistake>,
    },
}

fn lines(faults: &[Fault]) -> String {
    match faults {
        [only] => format!(" {only}"),
        faults => faults.iter().map(|fault| format!("\n  {fault}")).collect(),
    }
}
