//! What a model writes, made fit for where it is shown.

mod blocks;
mod harmless;
mod prose;
mod style;
mod told;

pub use harmless::harmless;
pub use prose::{Prose, Surface};
pub use told::{question, told};
