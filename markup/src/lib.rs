//! What a model writes, made fit for where it is shown.

mod blocks;
mod harmless;
mod prose;
mod style;

pub use harmless::harmless;
pub use prose::{Prose, Surface};
