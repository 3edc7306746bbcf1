//! Keeps a folder as it is before a task, and puts it back: what the task changed, and nothing that its owner changed since.
//!
//! The folder may hold whatever a hostile program put there. Each name in it is found from the folder itself, and no link on
//! the way is followed. What is kept lies elsewhere, where that program can't write. Whatever is put away on the way back is
//! kept, too.

mod beneath;

mod gitlinks;

mod inventory;

mod snapshots;

mod told;

mod undo;

mod watched;

pub use gitlinks::repositories;
pub use snapshots::Snapshots;
pub use told::{set_aside, told};
pub use undo::Undone;
pub use watched::Watched;
