//! What the broker costs on Redis, beside a bare loop of the same crate on the same server. Prints one median a
//! line, `name value`, for `cargo xtask bench queue`, which knows the budgets.
//!
//! Rounds are interleaved: within each one every worker serves for a moment, and a ratio is taken between
//! neighbours, because a machine that others share is never equally fast for long.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod callers;
mod worker;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use testkit::RedisServer;

use callers::Served;
use worker::{Kind, Worker};

const ROUNDS: usize = 7;

/// How long a worker serves in a round, after it has warmed up.
const SLICE: Duration = Duration::from_millis(900);
const WARM: Duration = Duration::from_millis(300);

/// How long an idle worker is watched.
const IDLE: Duration = Duration::from_secs(5);

/// A worker that waits serves so many commands at once, and so long each.
const SLOTS: usize = 4;
const WAITING: Duration = Duration::from_millis(20);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure().await,
        [kind, url, queue] => worker::serve(kind.parse()?, url, queue).await,
        _ => bail!("it takes no arguments, or a kind of worker, an address and a queue"),
    }
}

async fn measure() -> Result<()> {
    let server = RedisServer::start();
    for callers in [64, 1] {
        let (mut ratios, mut more, mut slower) = (Ratios::default(), Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let bare = serve(&server, Kind::Bare, 1, callers, round).await?;
            let ours = serve(&server, Kind::Ours, 1, callers, round).await?;
            let signed = serve(&server, Kind::Signed, 1, callers, round).await?;
            more.push(signed.cpu_each() - ours.cpu_each());
            slower.push((signed.half().as_secs_f64() - ours.half().as_secs_f64()) * 1e6);
            ratios.add(&ours, &bare);
        }
        ratios.print(callers);
        println!("signed_micros_{callers} {:.2}", median(more));
        println!("signed_half_{callers} {:.2}", median(slower));
    }
    let mut scale = Vec::new();
    for round in 0..ROUNDS {
        let one = serve(&server, Kind::Waiting, 1, 64, round).await?;
        let three = serve(&server, Kind::Waiting, 3, 64, round).await?;
        scale.push(three.rate() / one.rate());
    }
    println!("three_routers {:.3}", median(scale));
    let idle = Worker::start(Kind::Ours, &server.url(), "idle")?;
    tokio::time::sleep(WARM).await;
    let before = idle.cpu()?;
    tokio::time::sleep(IDLE).await;
    let used = idle.cpu()?.saturating_sub(before);
    println!("idle_percent {:.4}", used.as_secs_f64() / IDLE.as_secs_f64() * 100.0);
    Ok(())
}

/// What `count` workers of a kind do for so many callers.
async fn serve(
    server: &RedisServer,
    kind: Kind,
    count: usize,
    callers: usize,
    round: usize,
) -> Result<Served> {
    let queue = format!("bench:{kind}:{count}:{callers}:{round}");
    let workers = (0..count).map(|_| Worker::start(kind, &server.url(), &queue));
    let workers = workers.collect::<Result<Vec<_>>>()?;
    callers::call(&server.url(), &queue, callers, WARM).await?;
    let before = cpu(&workers)?;
    let mut served = callers::call(&server.url(), &queue, callers, SLICE).await?;
    served.cpu = cpu(&workers)?.saturating_sub(before);
    Ok(served)
}

fn cpu(workers: &[Worker]) -> Result<Duration> {
    workers.iter().map(Worker::cpu).sum::<Result<Duration>>().context("a worker is gone")
}

/// Ours against the bare loop, round by round.
#[derive(Default)]
struct Ratios {
    rate: Vec<f64>,
    cpu: Vec<f64>,
    half: Vec<f64>,
    ours: Vec<f64>,
    ours_cpu: Vec<f64>,
}

impl Ratios {
    fn add(&mut self, ours: &Served, bare: &Served) {
        self.rate.push(ours.rate() / bare.rate());
        self.cpu.push(ours.cpu_each() / bare.cpu_each());
        self.half.push(ours.half().as_secs_f64() / bare.half().as_secs_f64());
        self.ours.push(ours.rate());
        self.ours_cpu.push(ours.cpu_each());
    }

    fn print(self, callers: usize) {
        println!("rate_{callers} {:.3}", median(self.rate));
        println!("cpu_{callers} {:.3}", median(self.cpu));
        println!("half_{callers} {:.3}", median(self.half));
        println!("commands_{callers} {:.0}", median(self.ours));
        println!("micros_{callers} {:.2}", median(self.ours_cpu));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
