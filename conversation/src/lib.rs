//! One conversation as plain data: its messages, the questions of the router, the results of actions, and the files that keep
//! all of it.
//!
//! It knows no model, prompt, channel or task. How a file is read, kept and mended is the crate `document`'s.

pub mod message;
pub mod observation;
pub mod question;
pub mod ran;

pub mod workspace;
