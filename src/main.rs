//! `safeclaw`: mind and wall on one machine with one command.
//!
//! The router is this same program, started as a child with a pipe to it, so that the two are separate
//! processes even here. `safeclaw agent ...` and `safeclaw router ...` take the arguments of `start_agent`
//! and `start_router`, and so does this program under one of those names.

mod child;
mod command;
mod desk;
mod handing;
mod starter;
mod unit;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    home::program(run)
}

fn run() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let word = |at: usize| args.get(at).and_then(|word| word.to_str());
    match (name(&args), word(1)) {
        (Some("start_agent"), _) | (_, Some(agent::EYES_WORD)) => agent::cli::main(args),
        (Some("start_router"), _) => router::cli::main(args, command::ROUTER_PREFIX),
        // For this program itself.
        (_, Some(starter::WORD)) => starter::serve(&args[2..]),
        (_, Some("router")) if router::cli::is_stage(&args[1..]) => {
            router::cli::main(args[1..].to_vec(), command::ROUTER_PREFIX)
        }
        _ => command::run(args),
    }
}

/// The name under which the program was started.
fn name(args: &[OsString]) -> Option<&str> {
    args.first().map(Path::new).and_then(Path::file_name).and_then(OsStr::to_str)
}
