//! What 10,000 jobs of the clock cost the agent: its start, its idle time, and how late it tells one.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde_json::json;
use xshell::Shell;

use super::Figure;
use super::figure::{median, milliseconds, most};
use super::program::Program;

/// As many as there may be, but for those that are set meanwhile: one that was told counts until that is on the disk.
const JOBS: u64 = 9_990;

const RUNS: usize = 15;

/// How many reminders are waited for.
const REMINDERS: usize = 5;

/// How long the agent is watched while nothing is due.
const IDLE: Duration = Duration::from_secs(30);

/// How many parts of a second the kernel counts a process's time in (`USER_HZ` of Linux).
const TICKS: f64 = 100.0;

const NO_MODEL: &str = "127.0.0.1:9";

/// Measures a home with the jobs beside one without.
///
/// # Errors
/// When the agent does not start or does not tell.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let (empty, full) = (sh.create_temp_dir()?, sh.create_temp_dir()?);
    for home in [&empty, &full] {
        sh.create_dir(home.path().join("router/skills"))?;
        start(sh, home.path())?.1.end()?;
    }
    sh.write_file(full.path().join("workspace/scheduler.json"), jobs()?)?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for (home, times) in [(&empty, &mut without), (&full, &mut with)] {
            let (time, agent) = start(sh, home.path())?;
            times.push(time);
            agent.end()?;
        }
    }
    let mut agent = start(sh, full.path())?.1;
    let before = busy(agent.id())?;
    std::thread::sleep(IDLE);
    let share = (busy(agent.id())? - before) / IDLE.as_secs_f64() * 100.0;
    let late: Vec<f64> = (0..REMINDERS).map(|_| lateness(&mut agent)).collect::<Result<_>>()?;
    agent.end()?;
    Ok(vec![
        Figure::new("the start with 10,000 jobs", median(&with), "ms").at_most(50.0),
        Figure::new("for comparison: the start without a job", median(&without), "ms"),
        Figure::new("the agent's time while none is due", share, "% CPU").at_most(0.1),
        Figure::new("the latest of five reminders, after its time", most(&late), "ms")
            .at_most(1_000.0),
    ])
}

/// Reminders and patterns, the first of which is due in an hour.
fn jobs() -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() * 1_000;
    let job = |n: u64| {
        let mut job = json!({
            "id": format!("job-{n}"), "text": format!("look after number {n}"),
            "next": now + 3_600_000 + n * 60_000, "by": "console:owner", "made": now,
        });
        if n.is_multiple_of(2) {
            // Once a year, as far from now as the number says.
            job["cron"] = json!(format!("{} {} 29 2 *", n % 60, n % 24));
        }
        job
    };
    let jobs: Vec<_> = (1..=JOBS).map(job).collect();
    Ok(json!({"last": JOBS, "jobs": jobs}).to_string())
}

/// An agent that has answered a command, and how long that took from its start, in milliseconds.
fn start(sh: &Shell, home: &Path) -> Result<(f64, Program)> {
    let start = Instant::now();
    let mut agent = Program::safeclaw(sh, &[], home, NO_MODEL)?;
    agent.say("/status")?;
    agent.noticed("skills:")?;
    agent.heard("model:")?;
    Ok((milliseconds(start.elapsed()), agent))
}

/// How long process `id` has worked, in seconds.
fn busy(id: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The name may hold blanks; behind it, the 12th and 13th field are the time of the process and of the kernel for it.
    let (_, fields) = stat.rsplit_once(')').context("no name in stat")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS)
}

/// By how much a reminder comes after its time, in milliseconds.
fn lateness(agent: &mut Program) -> Result<f64> {
    agent.say("/remind 2s tea")?;
    agent.heard("I'll remind you")?;
    let set = Instant::now();
    agent.heard("Reminder: tea")?;
    Ok((milliseconds(set.elapsed()) - 2_000.0).max(0.0))
}
