//! What a page, a slow grid, a killed driver and a person who has gone can do to a look.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod cage;
mod ends;
mod grid;
mod house;
mod pages;
mod remote;
mod rig;
mod site;
