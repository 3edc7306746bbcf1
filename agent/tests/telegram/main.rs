//! The Telegram channel with its real client and a server of this machine that speaks the Bot API; the test is the agent at
//! the other end of the line.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod faults;
mod files;
mod house;
mod people;
mod questions;
mod restart;
mod setup;
mod words;
