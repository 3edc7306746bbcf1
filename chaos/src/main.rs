//! `cargo xtask chaos`: breaks everything around the queue, and says whether it kept its promises.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use chaos::router::RouterArgs;
use chaos::run::{Fsync, Plan};
use chaos::{points, router, run};
use clap::{Args, Parser, Subcommand};

/// Break everything around the queue, and look whether it keeps its promises
///
/// Starts a real Redis, router processes and agents. For a while routers are killed (kill -9), stopped and let go
/// on, and asked to end; Redis is killed and restarted; its scripts are flushed and its connections cut; meanwhile
/// agents send commands, copies of commands, floods and nonsense, and take some back. Then everything is healed.
/// A table shows what became of every command, and the exit code is 1 if a promise was broken:
/// nothing is lost, nothing that must run once has run twice, nobody hears two different replies, nothing stays in flight or for ever.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask chaos")]
#[command(after_help = "Examples:
  cargo xtask chaos                          a minute, with a seed of its own
  cargo xtask chaos --seed 7 --seconds 600   ten minutes of seed 7
  cargo xtask chaos points                   a death at each point of a command's way")]
struct Cli {
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Draws the faults: the same seed breaks the same things at the same times [default: drawn]
    #[arg(long)]
    seed: Option<u64>,
    /// How long things break, in seconds; healing comes on top
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many router processes there are
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=32))]
    routers: u8,
    /// When Redis writes to its disk. With everysec it can lose what it has acknowledged when it is killed while the disk
    /// is busy: then a promise may be broken that is none of the queue's
    #[arg(long, default_value = "always")]
    fsync: Fsync,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Let a router die once at each named point of a command's way
    Points,
    /// Serve as a router process of a run
    #[command(hide = true)]
    Router(RouterArgs),
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let holds = match cli.task {
        Some(Task::Router(args)) => {
            tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).init();
            router::serve(args).await?;
            true
        }
        Some(Task::Points) => every_point().await?,
        None => at_random(cli.run).await?,
    };
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn at_random(args: RunArgs) -> Result<bool> {
    let plan = Plan {
        seed: args.seed.unwrap_or_else(|| fastrand::u64(..1_000_000)),
        length: Duration::from_secs(args.seconds),
        routers: usize::from(args.routers),
        fsync: args.fsync,
        program: std::env::current_exe().context("this program has no path")?,
    };
    eprintln!("seed {}", plan.seed);
    let verdict = run::run(&plan).await?;
    print!("{verdict}");
    Ok(verdict.holds())
}

async fn every_point() -> Result<bool> {
    let program = std::env::current_exe().context("this program has no path")?;
    let mut holds = true;
    for point in points::ALL {
        let verdict = points::run(&program, point).await?;
        println!("{point:<16}{}", if verdict.holds() { "holds" } else { "BROKEN" });
        if !verdict.holds() {
            print!("{verdict}");
            holds = false;
        }
    }
    Ok(holds)
}
