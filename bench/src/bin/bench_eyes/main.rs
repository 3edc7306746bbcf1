//! What a look at a page takes and holds, measured on small pages of this program's own, with the browser that
//! is installed here.
//!
//! Prints `<name> <number>` for each figure: milliseconds, or MB (10^6 bytes) of this process.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod site;

use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use eyes::launch::{Launcher, WORD};
use eyes::{Eyes, Look, Network, Place};
use site::Site;

/// How often a page is looked at.
const LOOKS: usize = 15;

/// Longer than opening the next browser takes: a person reads between two looks.
const PAUSE: Duration = Duration::from_secs(3);

/// Where browsers are installed.
const SEARCH: &str = "/usr/local/bin:/usr/bin:/bin:/snap/bin";

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some((first, rest)) = args.split_first()
        && first == WORD
    {
        return eyes::launch::serve(rest);
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<()> {
    let launcher = Launcher::begin(SEARCH.as_ref())?;
    let launcher = launcher.context("chromium is missing; run: cargo xtask setup")?;
    let site = Site::serve()?;
    let network = Network::new(&[site.address().to_owned()])?;
    let eyes = Eyes::new(Place::Own(launcher), network);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    runtime.block_on(looks(&eyes, &site))
}

async fn looks(eyes: &Eyes, site: &Site) -> Result<()> {
    let first = look(eyes, site, "small").await?;
    let mut warm = Vec::new();
    for _ in 0..LOOKS {
        tokio::time::sleep(PAUSE).await;
        warm.push(look(eyes, site, "small").await?);
    }
    let again = look(eyes, site, "small").await?;
    warm.sort_by(f64::total_cmp);
    tokio::time::sleep(PAUSE).await;
    let before = most_held()?;
    let large = look(eyes, site, "large").await?;
    println!("first {first}\nwarm {}\nat_once {again}", warm[LOOKS / 2]);
    println!("large {large}\nlarge_held {}", most_held()? - before);
    Ok(())
}

/// Looks at a page and says how long it took, in milliseconds.
async fn look(eyes: &Eyes, site: &Site, page: &str) -> Result<f64> {
    let begun = Instant::now();
    let look = Look { url: site.url(page)?, limit: Duration::from_secs(60) };
    eyes.look(look).await?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

/// The most that this process has held so far, in MB.
fn most_held() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")).context("no VmHWM line")?;
    Ok(kib.parse::<f64>()? * 1_024.0 / 1e6)
}
