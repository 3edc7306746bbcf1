//! A log whose rows are chained: its files, how rows are appended, read and checked.
//!
//! Each row has a counter and the hash of itself and the row before
//! it ([`Head`]), so that `start_router audit verify` finds what was changed, taken out or put elsewhere. A
//! chain can't show that its end was cut off: for that the head is kept elsewhere.
//!
//! ```text
//! {"n":7,"row":"intent","at":1763798400000,...,"hash":"9f2c..."}
//! ```
//!
//! `hash` is the SHA-256, in hexadecimal, of the row before's `hash` (as text) followed by this row's bytes
//! up to `,"hash"`. In front of the first row stands the SHA-256 of the log's name, such as `router-1`.

mod escape;
mod row;

mod archive;
mod ending;
mod files;
mod log;
mod syncing;

mod fault;
mod verify;

mod proofs;

mod follow;
mod read;
mod words;

pub use escape::{json, visible};
pub use files::{Files, is_of_the_command_line};
pub use follow::Follower;
pub use log::ChainedLog;
pub use proofs::{reports, told};
pub use read::{Entries, Entry, last};
pub use row::Head;
pub use syncing::Syncing;
pub use verify::{Accept, Report, verify};
pub use words::words;

pub use archive::archive;
pub use fault::Fault;
pub use row::Row;

/// How large a file grows before the next one is begun, in bytes.
pub const FULL: u64 = 16 * 1024 * 1024;
