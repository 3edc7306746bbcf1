//! Judges lines of shell and paths by router/governance.json. No I/O.
//!
//! ```text
//!   a line ──► brush-parser ──► line ──► wrapper ──► verdict: allow, confirm, deny
//!                               every simple          by the lists and the paths
//!                               command, and the
//!                               line written anew
//! ```
//!
//! What is judged is what runs: [`Line::shell`] is the line written anew from what was understood, with every literal
//! quoted. A shell is given that text and never the one that somebody typed, so a place where this parser and bash differ
//! changes what a command does, but not which commands there are.

mod file;
mod paths;

mod line;

mod verdict;

pub use file::{DEFAULT, Governance, Mistake};
pub use line::{Line, MOST};
pub use paths::{Access, Paths};
pub use verdict::{Judged, LineVerdict, Ruling};
