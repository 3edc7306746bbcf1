//! What the wall costs: a command on its way through a whole router, and a skill in the sandbox beside a bare process of
//! the same. Prints one median a line, `name milliseconds`, or a rate, `name commands a second`, for `cargo xtask bench
//! wall`, which knows the budgets.
//!
//! Everything is measured in turn, round by round, and a difference is taken between neighbours, because a
//! machine that others share is never equally fast for long.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod bare;
mod house;
mod instant;
mod processes;
mod rounds;
mod without;

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tempfile::TempDir;
use testkit::RedisServer;

const ROUNDS: usize = 61;

/// Commands come one by one. What one of them wrote has settled on the disk when the next one begins.
const PAUSE: Duration = Duration::from_millis(40);

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let program = std::env::current_exe()?;
    let beside = program.parent().unwrap_or(Path::new("."));
    // There, because a folder for temporary files is often in memory, and a home is not.
    let folder = TempDir::new_in(beside)?;
    let redis = RedisServer::start();
    without::measure(folder.path(), &redis.url(), ROUNDS).await?.print();
    processes::measure(folder.path(), &beside.join("start_router"), ROUNDS).await?.print();
    Ok(())
}
