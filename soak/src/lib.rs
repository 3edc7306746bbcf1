//! Lets the real programs work for long, and measures what grows and what is lost.
//!
//! ```text
//!   callers ──► Redis ──► two routers (one is killed now and then)      sampler: memory, descriptors,
//!   a talk ──► agent ──┘                                                  Redis keys, disk
//!   a talk ──► safeclaw, with its router on a pipe (killed now and then)     │
//!        └──────────── tally: asked, answered, late, lost ──────────────────► report
//! ```
#![allow(clippy::print_stderr, reason = "it is for whoever develops, and says what it sees")]

mod tally;

mod callers;
mod dialogue;
mod model;
mod talk;

mod process;

mod sampler;
mod series;

mod house;
pub mod run;
mod soak_report;
