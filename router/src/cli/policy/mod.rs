//! `start_router policy`: finds mistakes in the policy, and tells what it decides.

mod check;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use home::Home;

use crate::catalog;
use crate::cli::error::CommandError;
use crate::explain::{Explain, explain};

/// What `--help` teaches.
const MORE_HELP: &str = include_str!("help.txt");

/// `policy` and what stands behind it.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(MORE_HELP))]
pub(super) struct Policy {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find every mistake in router/policy.toml, each with its line and what to write instead; exit code 1 if there is
    /// one.
    Check,
    /// Tell what would become of a call, which rule decides it and why. Nothing is run.
    Explain(Explain),
}

/// Does what the command line asks for.
pub(super) fn run(home: &Home, policy: Policy) -> Result<ExitCode, CommandError> {
    crate::defaults::write_missing(home)?;
    let (text, code) = match policy.command {
        Command::Check => check::check(home)?,
        Command::Explain(asked) => match explain(home, &asked)? {
            Ok(told) => (told, ExitCode::SUCCESS),
            Err(answer) => (answer, ExitCode::FAILURE),
        },
    };
    let lines = text.lines().flat_map(|line| [catalog::printable(line), "\n".to_owned()]);
    home::say_part(format_args!("{}", lines.collect::<String>()));
    Ok(code)
}
