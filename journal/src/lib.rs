//! The journal of a session: all that was said and done there, in order, with the trust bits that were in force.
//!
//! `journal.jsonl` holds one event a line and is only appended to. `log/YYYY-MM-DD.md` shows the same to people, a file for
//! each day of UTC. `input_history.json` stays the view that the first SafeClaw knows. `/clear` leaves the journal as it is and
//! writes a [`Role::Clear`] into it: views begin behind the last one.

mod daily;
mod event;
mod export;
mod file;
mod pages;

pub use event::{JournalEvent, Role, title};
pub use export::Form;
pub use file::Journal;
pub use pages::{JournalPage, page, place};
