//! What a turn costs besides the model. Prints one median a line, `name milliseconds`, for
//! `cargo xtask bench turn`, which knows the budgets.
//!
//! A whole session runs: a message goes in where a channel would put it, and the clock stops when the
//! session says that the turn is over. The model and the router answer at once; the queue between them
//! and the files of the workspace are real.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod house;
mod instant;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use tempfile::TempDir;

use house::House;

const RUNS: usize = 101;

/// People don't type faster than this. What a turn wrote has settled on the disk when the next one begins.
const PAUSE: Duration = Duration::from_millis(40);

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    // Beside the program, because a folder for temporary files is often in memory, and a home is not.
    let beside = std::env::current_exe()?;
    let folder = TempDir::new_in(beside.parent().unwrap_or(Path::new(".")))?;
    let mut house = House::build(folder.path())?;
    let (mut plain, mut acting, mut disk) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        plain.push(turn(&mut house, instant::PLAIN).await?);
        acting.push(turn(&mut house, instant::ACTING).await?);
        disk.push(durable_write(folder.path())?);
    }
    println!("plain {:.3}", median(plain));
    println!("acting {:.3}", median(acting));
    println!("disk {:.3}", median(disk));
    Ok(())
}

/// How long the session takes to answer `message`.
async fn turn(house: &mut House, message: &str) -> Result<Duration> {
    tokio::time::sleep(PAUSE).await;
    let start = Instant::now();
    house.answer(message).await?;
    Ok(start.elapsed())
}

/// How long this disk takes to keep a small file for good: a turn does that once for its history.
fn durable_write(folder: &Path) -> Result<Duration> {
    std::thread::sleep(PAUSE);
    let start = Instant::now();
    home::file::write(&folder.join("small.json"), &[b'x'; 4_096])?;
    Ok(start.elapsed())
}

/// The median, in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
