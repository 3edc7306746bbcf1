//! The notes of a conversation: `memory.md` and its archive, what is to be noted next, what is found again, and how long
//! conversations are kept.
//!
//! A note is only ever added, kept or removed. No model rewrites one, and what a person has written into the file stays byte for
//! byte. The file itself says how far the journal is noted, so that a process that is killed neither loses nor doubles a note.

mod note;

mod notes;

mod notebook;
mod window;

mod recall;
mod retention;

pub use note::{Note, NoteSource};
pub use notebook::Notebook;
pub use notes::{MOST_NOTES, Notes};
pub use recall::{Recalled, Uses, recall};
pub use retention::{HouseTime, newest_log, prune_logs};
pub use window::{Batch, DUE, WINDOW, is_nothing, waiting};
