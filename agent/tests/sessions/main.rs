//! Many sessions in one registry: what each one's people hear, and that nothing of one is seen in another.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod broadcast;
mod guests;
mod house;
mod journal;
mod leaks;
mod origin;
mod papers;
mod personas;
mod sets;
mod side_by_side;
