//! Attacks on the sandbox, run in the sandbox itself: what it is worth on this machine, seen and not assumed.
//!
//! The attacks are compiled into the router's binary and started through the launcher like any built-in skill.
//! Each one runs twice. First without the sandbox, against things that were made for it (a file, a socket, a
//! process): where it does not succeed there, it proves nothing, and counts as not tried. Then in the sandbox,
//! with the limits of every skill. Nothing that an attack could do harms the machine that it succeeds on.

mod run;

mod report;

mod target;
mod trial;

mod attack;
mod stage;

mod bounds;
mod files;
mod kernel;
mod network;
mod one_call;
mod processes;

pub use report::{Finding, Report, Verdict};
pub use run::run;
pub use stage::{is_attack, run_attack};
