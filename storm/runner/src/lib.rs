//! Storms on disk, and how one goes on: who is next is asked, and what it says is added to the log.
//!
//! ```text
//!   shelf (folders) ──► Stored ──► run: who is next, asks, adds ──► log_file (append, sync)
//!                                   │
//!                                   └──► Speaks (whoever asks the models)
//! ```
//!
//! The formats and the prompts are the crate `storm`'s; who is next is decided by `cadence`. Which model an agent means, and whether it may be asked, is
//! for whoever implements [`Speaks`].

mod shelf;
mod stored;

mod edit;

mod log_file;

mod run;

pub use log_file::{LogFile, LogFileError};
pub use run::{Ended, Heard, Hears, RunError, Runner, SpeakError, Speaks, Spoke};
pub use shelf::{AgentFiles, Shelf, ShelfError, agent_files, agent_path, agents, command, now};
pub use stored::{Running, Stored};
