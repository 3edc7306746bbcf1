//! Work at a workbench, without any I/O: a model is shown a task, what its replies have brought, and the screen; its reply is
//! thoughts and commands; a reply without a command ends the task.
//!
//! The form of a reply, the order of the messages and the words around the screen are those of the 7aigent design: one fenced
//! block for each command, whose word is the environment, and one screen that is rendered anew before each reply and never kept.

mod budget;
mod guide;
mod reply;
mod task;
mod together;

pub use budget::{Spent, TaskBudget};
pub use guide::{example, guide};
pub use reply::{FencedCommand, Misread, Reply, before_repetition};
pub use task::{Side, Task, TaskLine};
pub use together::{is_together, together};
