//! Storms on disk, and how one goes on: who is next is asked, and what it says is added to the log.
//!
//! ```text
//!   shelf (folders) ──► Stored ──► run: who is next, asks, adds ──► log_file (append, sync)
//!                                   │
//!                                   └──► Speaks (whoever asks the models)
//! ```
//!
//! The formats and the prompts are the crate `storm`'s; who is next is decided by `cadence`. Which model an agent means, and
//! whether it may be asked, is for whoever implements [`Speaks`].

mod error;
mod folder;
mod log_file;

mod shelf;
mod stored;

mod edit;

mod run;

pub use error::{ShelfError, command};
pub use folder::{AgentFiles, agent_files, agent_path, agents};
pub use log_file::{LogFile, LogFileError};
pub use run::{Ended, Heard, Hears, RunError, Runner, SpeakError, Speaks, Spoke};
pub use shelf::{Shelf, now};
pub use stored::{Running, Stored};
