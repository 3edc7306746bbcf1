//! The repertoire: all that the router can run, as its owner's settings and the skills' manifests say.
//!
//! It reads and checks; what may run, and when, the router decides.

pub mod config;

pub mod defaults;
pub mod digest;

pub mod catalog;

pub mod new_skill;
