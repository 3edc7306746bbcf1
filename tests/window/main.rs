//! The wall's window in a real browser, over a real home: what its owner sees and does there, and who can't.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]

mod attacks;
mod house;
mod letters;
mod pictures;
mod walk;
