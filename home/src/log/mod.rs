//! What a process logs: everything of note into a file, and warnings to people.

mod file;
mod notices;

pub use file::LogFile;
pub use notices::Notices;
