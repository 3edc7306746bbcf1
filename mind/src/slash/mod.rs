//! Slash commands: what a person tells the agent itself. They need no model.
//!
//! To add one, write `slash/<name>.rs` with a type that implements [`Perform`] and a function `read` that makes it from the
//! words behind the name, and add its line to [`TABLE`]. `/help`, the commands that Telegram offers and the hint at a misspelt
//! name follow from the table.
//!
//! A channel reads what a person typed once, by `Said::typed` of the crate `channel`. Nothing behind the channel looks
//! for a slash again.

mod table;

mod command;
mod perform;
mod plan;

mod actions;
mod agent;
mod agents;
mod approvals;
mod approve;
mod ask;
mod business;
mod cancel;
mod clear;
mod cron;
mod did;
mod docs;
mod exec;
mod export;
mod forget;
mod grants;
mod help;
mod index;
mod jobs;
mod last;
mod log;
mod memory;
mod mode;
mod model;
mod net;
mod pair;
mod remember;
mod remind;
mod reply;
mod run;
mod search;
mod sessions;
mod sets;
mod skills;
mod start;
mod status;
mod stop;
mod storm;
mod unlock;
mod unpair;
mod watch;
mod web;
mod work;

mod in_force;
mod library;
mod usage;

pub use command::SlashCommand;
pub use exec::told_of;
pub use perform::{At, Ends, Perform, Read};
pub use table::{SlashEntry, TABLE, Who};
