//! Lets a router die once at each named point, and looks that nothing is lost.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use broker::failpoint::Point;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::agents::{Orders, probe};
use crate::fleet::Folder;
use crate::stage::Stage;
pub use crate::verdict::Verdict;

/// How many commands are on their way while a router dies.
const COMMANDS: u64 = 12;

/// How many agents ask at the same time.
const AGENTS: u64 = 4;

/// How long a router may take to come to its point.
const REACHED_WITHIN: Duration = Duration::from_secs(30);

/// All points, in the order of a command's way.
pub const ALL: [Point; 10] = Point::ALL;

/// Lets a router of `program` die at `point` while commands are on their way, and judges.
///
/// # Errors
/// When the router does not come to that point.
pub async fn run(program: &Path, point: Point) -> Result<Verdict> {
    let folder = TempDir::with_prefix("safeclaw-chaos-")?;
    let stage = Stage::empty(program, Folder(folder.path().to_owned()))?;
    stage.fleet().add_armed(&[point])?;
    if point == Point::Reaped {
        // Somebody has to die first. Its successor may be the one that takes over.
        stage.fleet().add_armed(&[Point::MidSkill, point])?;
    }
    let watching = tokio::spawn(stage.clone().watch());
    let agents: Vec<_> = (0..AGENTS)
        .map(|at| Orders::alone(stage.server.url(), &stage.ledger, &format!("agent{at}")))
        .map(|orders| tokio::spawn(probe(orders, COMMANDS / AGENTS)))
        .collect();
    if point == Point::Leaving {
        answered(&stage, 1).await;
        stage.fleet().part(0)?;
    }
    reached(&stage, point).await?;
    for agent in agents {
        agent.await?.with_context(|| format!("after the death at {point}"))?;
    }
    let verdict = stage.close(BTreeMap::new()).await?;
    watching.abort();
    if !verdict.holds() {
        eprintln!("what was done and logged is kept in {}", folder.keep().display());
    }
    Ok(verdict)
}

async fn answered(stage: &Stage, least: usize) {
    while stage.ledger.progress().1 < least {
        sleep(Duration::from_millis(5)).await;
    }
}

async fn reached(stage: &Stage, point: Point) -> Result<()> {
    let deaths = if point == Point::Reaped { 2 } else { 1 };
    let until = Instant::now() + REACHED_WITHIN;
    while stage.fleet().ends.at_point < deaths {
        ensure!(Instant::now() < until, "no router came to {point}");
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}
