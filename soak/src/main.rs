//! `cargo xtask soak`: the real programs under a mixed load for long.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it has found")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use soak::run::{Soak, run};

/// Let the real programs work for long, with a kill now and then, and measure what grows
///
/// Starts a Redis, two routers and an agent on it, and a safeclaw with its router on a pipe. Callers send commands. Two people
/// chat with a scripted model: they ask for skills, answer questions, set reminders and begin new conversations. One router of
/// each kind is killed (kill -9) about every 20 seconds and started again. Tables show memory, descriptors, Redis keys and disk
/// over the run, and what was asked, late and lost.
///
/// The exit code is 1 if anything was lost or told twice, if descriptors or keys without an end grew, if an audit log is not
/// whole, or if the memory of a process grew in a run of 20 minutes or longer.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask soak")]
#[command(after_help = "Examples:
  cargo xtask soak                  five minutes
  cargo xtask soak --minutes 30     long enough to see a slope
  cargo xtask soak --minutes 1 --program target/debug/safeclaw    a quick look at what is built already")]
struct Cli {
    /// How long they work
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    minutes: f64,
    /// A new or empty folder for the homes and logs, which stay there [default: a temporary one, kept if something fails]
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// How many commands a second the callers send together, about
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10))]
    rate: u32,
    /// Draws when what is killed [default: drawn]
    #[arg(long)]
    seed: Option<u64>,
    /// The safeclaw to look at
    #[arg(long, value_name = "FILE", default_value = "target/release/safeclaw")]
    program: PathBuf,
}

fn main() -> ExitCode {
    match look(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn look(cli: Cli) -> Result<bool> {
    let Cli { minutes, home, rate, seed, program } = cli;
    ensure!((0.1..=100_000.0).contains(&minutes), "--minutes is a number from 0.1 to 100000");
    let seed = seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    eprintln!("seed {seed}");
    let length = Duration::from_secs_f64(minutes * 60.0);
    let found = program.canonicalize();
    let program = found.with_context(|| format!("there is no {}", program.display()))?;
    let report = run(&Soak { length, rate, seed, program, home }).await?;
    print!("{report}");
    Ok(report.holds())
}
