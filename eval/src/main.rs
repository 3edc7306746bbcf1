//! `eval`: how often does a model call the right action? `cargo xtask eval --help` tells how to ask.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match eval::cli::run(&eval::cli::Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
