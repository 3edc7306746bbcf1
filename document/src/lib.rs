//! Files that a program and its owner both write: what they hold as a value, and what people should hear about them.
//!
//! Every file is read bounded, cached until it changes on the disk, and written whole or not at all. A file that a crash or a
//! hand edit broke is set aside, said, and started afresh. When the disk is full or read-only, what is in memory counts.

// The crate and its main trait are about the same thing.
#![allow(clippy::module_inception)]

mod clock;
mod document;
mod file;
mod notice;
mod stamp;
mod text;

pub use clock::Clock;
pub use document::{Document, Json, json, pretty};
pub use file::{File, SaveError};
pub use notice::{Notice, Notices};
pub use text::Text;
