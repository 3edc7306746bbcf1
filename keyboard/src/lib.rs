//! Lines that a person types at a terminal: edited, completed, and beside what is printed above them.

mod above;
mod completion;
mod editor;
mod keys;
mod restore;

pub use completion::{Command, Completion};
pub use editor::{Editor, LineHistory, TypedLine};
pub use keys::pressed;
pub use restore::{Lent, Unseen, forget_keys};
