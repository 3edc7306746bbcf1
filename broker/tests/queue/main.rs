//! What the queue on Redis promises: no command is lost, none is run twice that must not be, and each one gets
//! one answer. The routers here are real ones with a task in place of skills; one that is killed loses its
//! whole runtime at once, as a process does that is killed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod kit;

mod acl;
mod believed;
mod control;
mod cut;
mod death;
mod drain;
mod flood;
mod garbage;
mod lanes;
mod late;
mod once;
mod outage;
mod sign;
mod sweep;
