//! Storms: several minds around one question, whose conversation stands in Markdown files.
//!
//! The formats and prompts are the crate `storm`'s, the files and how one goes on those of `storm-runner`. Here it is who speaks in
//! a new one (`casting`), and the model of each agent (`ask`). Agents of a storm talk;
//! one whose file names sets of actions may ask for those where somebody has hands for it.

mod ask;
mod casting;
mod error;
mod pages;

pub use ask::{Hands, Minds};
pub use casting::casting;
pub use error::StormError;
pub use pages::pages;
pub use storm_runner::{Ended, Heard, Runner, Shelf, ShelfError, Stored, command, now};

/// Where storms are kept, below the workspace.
pub const FOLDER: &str = "AIStormSessions";

/// Where agents are copied from, below the workspace.
pub const PERSONAS: &str = "personas";

/// How many tokens the agents of one storm may take in all, unless the owner says otherwise.
pub const TOKENS: u64 = 500_000;
