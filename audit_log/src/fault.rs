//! What is wrong with a log, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// The first thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
}

/// A line of a file; it counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line.
    pub line: usize,
}

/// What can be wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The row's hash is not that of its bytes after the row before.
    Changed {
        /// The row's counter.
        n: u64,
    },
    /// Rows are nowhere.
    Missing {
        /// The counter of the first one.
        from: u64,
        /// The counter of the last one.
        to: u64,
    },
    /// Whole files are nowhere.
    Archived {
        /// The counter of the last row in them.
        to: u64,
    },
    /// A row stands where another one belongs.
    Reordered {
        /// The counter of the row that belongs there.
        expected: u64,
        /// The counter of the row that stands there.
        found: u64,
        /// The place where the expected row stands, if it is anywhere.
        expected_at: Option<Place>,
    },
    /// A row can't be read any more.
    Cut {
        /// Its counter.
        n: u64,
    },
    /// The last line is half a row.
    HalfWritten {
        /// The counter that it should have.
        n: u64,
        /// Its length in bytes.
        bytes: usize,
    },
    /// A compressed file can't be read to its end.
    Damaged {
        /// The counter of the first row that is lost.
        from: u64,
    },
    /// Lines that belong to no chain.
    PutIn {
        /// Their number.
        lines: usize,
    },
}

impl Place {
    pub(super) fn new(file: &Path, line: usize) -> Self {
        Self { file: file.to_owned(), line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { n } => write!(
                f,
                "changed: the hash of row {n} does not fit; it or the row before it is not as it was written"
            ),
            Self::Missing { from, to } if from == to => write!(f, "missing: row {from} is gone"),
            Self::Missing { from, to } => write!(f, "missing: the rows {from} to {to} are gone"),
            Self::Archived { to } => write!(
                f,
                "missing: the files with the rows 1 to {to} are gone; put them back, or pass \
                --archived if you have moved them elsewhere yourself"
            ),
            Self::Reordered { expected, found, expected_at: Some(place) } => write!(
                f,
                "reordered: row {found} stands where row {expected} belongs, which is at {place}"
            ),
            Self::Reordered { expected, found, .. } => {
                write!(f, "reordered: row {found} stands once more where row {expected} belongs")
            }
            Self::Cut { n } => {
                write!(f, "cut: row {n} can't be read; it was cut short or written over")
            }
            Self::HalfWritten { n, bytes } => write!(
                f,
                "cut: of row {n} there are {bytes} bytes at the end of the log. A crash in mid-row \
                leaves that, and the router says so in a row of its own at its next start; if there \
                was no crash, the end was cut off"
            ),
            Self::Damaged { from } => write!(
                f,
                "damaged: the compressed file can't be read from row {from} on; put a copy of it in its place if you \
                have one"
            ),
            Self::PutIn { lines } => {
                write!(f, "changed: {lines} line(s) stand here that no router wrote")
            }
        }
    }
}
