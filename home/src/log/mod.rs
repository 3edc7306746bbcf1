//! What a process logs: everything of note into a file, and warnings to people.

mod file;
mod lines;
mod notices;
mod veiled;

pub use file::LogFile;
pub use lines::{LogLine, LogLines};
pub use notices::Notices;
pub use veiled::{Veiled, VeiledEvent};
