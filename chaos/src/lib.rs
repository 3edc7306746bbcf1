//! Looks whether the queue keeps its promises while everything around it breaks.
//!
//! ```text
//!   schedule ──faults──► fleet (router processes) ──► Redis ◄── agents (tasks)
//!                          │ effects, in a file        │          │ what they sent and heard, in the ledger
//!                          └───────────────► verdict ◄─┴──────────┘
//! ```
//!
//! A schedule of faults is drawn from a seed. Routers are real processes with the broker's real end; what they "do"
//! is a line in a file. Agents note what they sent and what they heard. At the end everything is healed, and
//! the verdict compares what was asked, what was done and what was said.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

pub mod schedule;

mod effects;
pub mod router;

mod faults;
mod fleet;
mod server;

mod ledger;

mod agents;
mod wire;

mod found;
mod stage;
mod verdict;

pub mod points;
pub mod run;
