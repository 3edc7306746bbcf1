//! How often a model calls the right action, in each way of asking.
//!
//! Messages of people (utterances.toml) go through the agent's own prompt to a real model, and what comes back is read
//! and judged: right is exactly the expected actions with valid parameters, in their order where that matters, and no
//! other. There is no half right. The modules stand in the order of the data.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

pub mod cli;

pub mod cards;
pub mod expect;
pub mod utterance;

pub mod ask;
pub mod run;
pub mod seed;

pub mod record;
pub mod score;

pub mod talk;

pub mod results;
pub mod table;
