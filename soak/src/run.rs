//! A run: everything starts, works, is struck now and then, ends, and is judged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::callers::Callers;
use crate::dialogue::{Dialogue, Stop};
use crate::house::{House, WALLS};
use crate::process::went_well;
use crate::sampler::Sampler;
pub use crate::soak_report::SoakReport;
use crate::talk::Talk;
use crate::tally::Tally;

/// What a run is to be.
#[derive(Debug, Clone)]
pub struct Soak {
    /// How long they work.
    pub length: Duration,
    /// How many commands a second are sent, about.
    pub rate: u32,
    /// Draws when what is killed.
    pub seed: u64,
    /// The safeclaw to look at.
    pub program: PathBuf,
    /// The folder for homes and logs; a temporary one without.
    pub home: Option<PathBuf>,
}

/// The pause between two kills, on average; four fit into a run that is short.
const BETWEEN_KILLS: Duration = Duration::from_secs(20);

/// How often everything is looked at, at most; a short run is looked at 60 times.
const LOOK: Duration = Duration::from_secs(10);

/// Runs a plan to its end.
///
/// # Errors
/// When something does not run at all.
pub async fn run(plan: &Soak) -> Result<SoakReport> {
    let place = Place::of(plan.home.as_deref())?;
    let (house, talks) = House::start(&plan.program, place.path())?;
    let (tally, stop) = (Arc::new(Tally::default()), Stop::new(AtomicBool::new(false)));
    let talking = talks.map(|talk| converse(talk, &tally, &stop));
    let callers = Callers::start(&house.redis.url(), &tally, plan.rate, plan.seed)?;
    let struck = struck(house, plan.clone()).await;
    stop.store(true, Ordering::Relaxed);
    let (mut house, sampler, kills) = struck?;
    let mut faults = Vec::new();
    let mut note = |ended: Result<()>| faults.extend(ended.err().map(|error| format!("{error:#}")));
    note(callers.end().await);
    for talked in talking {
        note(talked.await?);
    }
    note(house.end());
    for home in WALLS {
        if !went_well(&plan.program, &place.path().join(home), &["router", "audit", "verify"])? {
            faults.push(format!("the audit of {home} is not whole"));
        }
    }
    let counts = tally.counts();
    let report = SoakReport { length: plan.length, sampler, counts, kills, faults };
    if !report.holds() {
        eprintln!("everything is kept in {}", place.keep().display());
    }
    Ok(report)
}

fn converse(talk: Talk, tally: &Arc<Tally>, stop: &Stop) -> JoinHandle<Result<()>> {
    let (dialogue, stop) = (Dialogue::new(talk, tally), Arc::clone(stop));
    spawn_blocking(move || dialogue.run(&stop))
}

/// Looks at the house until the time is over, and strikes it now and then.
async fn struck(mut house: House, plan: Soak) -> Result<(House, Sampler, u64)> {
    let work = move || {
        let (mut sampler, mut kills) = (Sampler::default(), 0);
        let mut rng = fastrand::Rng::with_seed(plan.seed);
        let look = LOOK.min(plan.length / 60);
        let between = BETWEEN_KILLS.min(plan.length / 5);
        let mut draw = || between.mul_f64(0.5 + rng.f64());
        let (start, mut next_look, mut next_kill) = (Instant::now(), Duration::ZERO, draw());
        while start.elapsed() < plan.length {
            if start.elapsed() >= next_look {
                house.sample(&mut sampler, start.elapsed().as_secs_f64());
                next_look += look;
            }
            if start.elapsed() >= next_kill {
                house.strike(kills % 2 == 1)?;
                kills += 1;
                next_kill += draw();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok((house, sampler, kills))
    };
    spawn_blocking(work).await?
}

/// Where homes and logs lie.
enum Place {
    /// Goes with the value.
    Passing(TempDir),
    /// Stays.
    Named(PathBuf),
}

impl Place {
    fn of(home: Option<&Path>) -> Result<Self> {
        let Some(home) = home else {
            return Ok(Self::Passing(TempDir::with_prefix("safeclaw-soak-")?));
        };
        let what = || format!("cannot use {}", home.display());
        fs::create_dir_all(home).with_context(what)?;
        let is_empty = fs::read_dir(home).with_context(what)?.next().is_none();
        ensure!(is_empty, "{} is not empty: name a new folder", home.display());
        Ok(Self::Named(home.canonicalize().with_context(what)?))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Passing(folder) => folder.path(),
            Self::Named(path) => path,
        }
    }

    fn keep(self) -> PathBuf {
        match self {
            Self::Passing(folder) => folder.keep(),
            Self::Named(path) => path,
        }
    }
}
