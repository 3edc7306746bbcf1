//! Storms: several minds around one question, whose conversation stands in Markdown files.
//!
//! ```text
//!   shelf (folders) ──► Stored ──► run: who is next, asks, adds ──► log_file (append, sync)
//!   casting (new)  ──┘                    │
//!                                         └──► ask (the model of each agent)
//! ```
//!
//! The formats, the prompts and the rotation are the crate `storm`'s. Agents of a storm have no actions: what they say
//! is words.

mod ask;
mod casting;
mod error;
mod log_file;
mod run;
mod shelf;
mod stored;
mod target;

pub(crate) use ask::Minds;
pub(crate) use casting::casting;
pub use error::StormError;
pub(crate) use run::{Ended, Heard, Runner};
pub(crate) use shelf::{Shelf, ShelfError, command, now};
pub(crate) use stored::Stored;

/// Where storms are kept, below the workspace.
pub(crate) const FOLDER: &str = "AIStormSessions";

/// Where agents are copied from, below the workspace.
pub(crate) const PERSONAS: &str = "personas";

/// How many tokens the agents of one storm may take in all, unless the owner says otherwise.
pub(crate) const TOKENS: u64 = 500_000;
