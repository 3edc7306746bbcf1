//! What a storm of 1,000 messages costs besides its models. Prints one median a line, `name milliseconds`, for
//! `cargo xtask bench storm`, which knows the budgets.
//!
//! The files are real, and the model answers at once. What a speaker takes holds the three writes that wait for the disk: the note
//! beside the log, the log, and the count of tokens.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use async_trait::async_trait;
use storm::{Agent, AgentFile, Cast, Message, Name, Premise, Spoken, Stamp};
use storm_runner::{Hears, Runner, Shelf, SpeakError, Speaks, Spoke, Stored, now};
use tempfile::TempDir;

const MESSAGES: usize = 1_000;

const RUNS: usize = 51;

/// How often a speaker waits for the disk.
const SYNCS: u32 = 3;

/// A paragraph, as agents write them.
const TEXT: &str = "That could work, if we keep it small: a bed of herbs needs two planks, some earth and an hour.\n\n\
     1. Draw it first, and measure the balcony.\n2. Buy the wood on Friday.\n3. Build it on Saturday, before the rain.\n\n\
     What remains open is who waters it in August, and whether it should cost anything at all.";

/// A model that answers at once.
struct Instantly;

#[async_trait]
impl Speaks for Instantly {
    async fn speak(&self, _: &Agent, _: &[Spoken], _: &mut Hears<'_>) -> Result<Spoke, SpeakError> {
        Ok(Spoke { text: TEXT.to_owned(), tokens: 0 })
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    // Beside the program, because a folder for temporary files is often in memory, and a home is not.
    let beside = std::env::current_exe()?;
    let folder = TempDir::new_in(beside.parent().unwrap_or(Path::new(".")))?;
    let shelf = Shelf::at(folder.path().to_owned());
    let mut stored = begun(&shelf)?;
    let (mut load, mut speaker, mut disk) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let start = Instant::now();
        shelf.open("weekend")?;
        load.push(start.elapsed());
        let start = Instant::now();
        let limit = u64::MAX;
        Runner { stored: &mut stored, speaks: &Instantly, limit }.next(1, &mut |_| {}).await?;
        speaker.push(start.elapsed());
        let start = Instant::now();
        home::file::write(&folder.path().join("small.txt"), &[b'x'; 512])?;
        disk.push(start.elapsed());
    }
    let disk = median(disk);
    let own = median(speaker).saturating_sub(disk * SYNCS);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1_000.0;
    println!("load {:.3}", milliseconds(median(load)));
    println!("own {:.3}", milliseconds(own));
    println!("disk {:.3}", milliseconds(disk));
    Ok(())
}

/// A storm in which three agents and a person have said so much.
fn begun(shelf: &Shelf) -> Result<Stored> {
    let names = ["Artist", "Critic", "Builder"];
    let agent = |name: &&str| {
        Ok(Agent { name: Name::new(name)?, file: AgentFile::new("Ollama", "m", "You think.") })
    };
    let cast = Cast::new(names.iter().map(agent).collect::<Result<_>>()?)?;
    let premise = Premise::new("What could two people build in a weekend?")?;
    let folder = shelf.create(&Name::new("weekend")?, &premise, &cast, now())?;
    let path = folder.join("weekend.log.md");
    let mut text = std::fs::read_to_string(&path)?;
    for (number, from) in names.iter().chain(["user"].iter()).cycle().take(MESSAGES).enumerate() {
        let at = Stamp::from(SystemTime::UNIX_EPOCH + Duration::from_secs(number as u64));
        let message = Message { from: (*from).to_owned(), at, text: TEXT.to_owned() };
        text.push_str(&message.behind(&text));
    }
    std::fs::write(&path, text)?;
    Ok(shelf.open("weekend")?)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
