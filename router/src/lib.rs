//! The wall: judges each command, asks a person where policy says so, runs a skill in a sandbox, keeps the
//! secrets, writes the audit log and always answers.
//!
//! ```text
//!   broker ──► router ──► catalog ──► policy ──► (approval) ──► sandbox ──► skill
//!                 │       is there    may it      a person        │
//!                 │       a skill?    run?        says yes        └──► egress ──► the network
//!                 └──► audit: a row before, a row after
//! ```
//!
//! The modules stand in the order in which a command meets them.

pub mod cli;
pub mod doctor;
mod log;

mod start;

mod owner;
mod router;
mod window;

mod answers;
mod call;
mod events;
mod panels;

mod judge;
pub mod policy;
mod session;
mod session_key;

mod explain;
mod grants;
mod pin;
mod pulse;
pub mod runner;
pub mod self_test;
mod workbench;

mod audit;

pub(crate) use ::audit_log;
pub use ::sandbox;
pub use audit::Audit;
pub use call::Call;
pub use cli::audit_rows_of;
pub use judge::Judge;
pub use owner::{PinFault, PinWish};
pub use pulse::Pulse;
pub use repertoire::{catalog, config};
pub(crate) use repertoire::{defaults, digest};
pub use router::Router;
pub use secrets::Secrets;
pub use shared::TrafficBook;
pub use workbench::Workbench;
