//! What many chats at once cost the mind. Prints one figure a line, `name value`, for `cargo xtask bench channels`,
//! which knows the budgets.
//!
//! A whole registry runs, with a channel whose other end is here. The clock starts when a message goes in and stops
//! when the model is handed its prompt; what a channel and a model take is theirs.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod house;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use tempfile::TempDir;

use house::House;

/// How many chats are open.
const CHATS: usize = 200;

/// Nobody types faster. What a turn wrote has settled on the disk when the next one begins.
const PAUSE: Duration = Duration::from_millis(20);

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    // Beside the program, because a folder for temporary files is often in memory, and a home is not.
    let beside = std::env::current_exe()?;
    let folder = TempDir::new_in(beside.parent().unwrap_or(Path::new(".")))?;
    let mut house = House::build(folder.path())?;
    for chat in 0..CHATS {
        house.say(chat).await?;
    }
    house.answered(CHATS).await?;
    let mut alone = Vec::new();
    for chat in 0..CHATS {
        tokio::time::sleep(PAUSE).await;
        let start = Instant::now();
        house.say(chat).await?;
        alone.push(house.asked().await? - start);
        house.answered(1).await?;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    println!("held {:.1}", testkit::held_by(std::process::id())?);
    let start = Instant::now();
    for chat in 0..CHATS {
        house.say(chat).await?;
    }
    let mut last = start;
    for _ in 0..CHATS {
        last = last.max(house.asked().await?);
    }
    house.answered(CHATS).await?;
    alone.sort();
    println!("middle {:.3}", milliseconds(alone.get(CHATS / 2)));
    println!("slow {:.3}", milliseconds(alone.get(CHATS * 99 / 100)));
    println!("burst {:.3}", milliseconds(Some(&(last - start))));
    Ok(())
}

fn milliseconds(time: Option<&Duration>) -> f64 {
    time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
