//! `bench_library speed` measures the library on passages that it makes up, beside SQLite alone on the same database.
//! `bench_library questions FILE FOLDER... [--missed] [--embed URL MODEL]` measures how often the right file is among the first five.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod embed;
mod questions;
mod speed;
mod words;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["speed"] => speed::run(100_000),
        ["speed", passages] => speed::run(passages.parse()?),
        ["questions", file, ref folders @ ..] => questions::run(file, folders),
        _ => bail!("bench_library speed | questions FILE FOLDER... [--embed URL MODEL]"),
    }
}
