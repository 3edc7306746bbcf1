//! The owner's page in a real browser, over a real home: signing in, talking, answering, with a mouse, by keys and on a phone.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]

mod between;
mod conversations;
mod files;
mod hostile;
mod house;
mod meanwhile;
mod model;
mod pictures;
mod uploads;
mod walk;
