//! A run: everything starts, the faults of the schedule strike, everything is healed, and the verdict is given.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::agents::Crowd;
use crate::faults::Faults;
use crate::fleet::Folder;
use crate::schedule::draw;
pub use crate::server::Fsync;
use crate::stage::Stage;
pub use crate::verdict::Verdict;

/// What a run is to be.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Draws the faults, and what agents do.
    pub seed: u64,
    /// How long faults strike.
    pub length: Duration,
    /// How many routers there are.
    pub routers: usize,
    /// How careful the server is.
    pub fsync: Fsync,
    /// The program to start as a router.
    pub program: PathBuf,
}

impl Plan {
    /// The command that does the same again.
    fn repeat(&self) -> String {
        let (seed, seconds, routers) = (self.seed, self.length.as_secs(), self.routers);
        let fsync = match self.fsync {
            Fsync::Everysec => "everysec",
            Fsync::Always => "always",
        };
        format!(
            "cargo xtask chaos --seed {seed} --seconds {seconds} --routers {routers} --fsync {fsync}"
        )
    }
}

/// Runs a plan to its end.
///
/// # Errors
/// When something that is no fault of the queue keeps the run from its end.
pub async fn run(plan: &Plan) -> Result<Verdict> {
    let folder = TempDir::with_prefix("safeclaw-chaos-")?;
    let stage = {
        let folder = Folder(folder.path().to_owned());
        Stage::set(&plan.program, folder, plan.fsync, (plan.routers, plan.seed))?
    };
    let watching = tokio::spawn(stage.clone().watch());
    let faults = stage.play(plan).await?;
    let verdict = stage.close(faults).await?;
    watching.abort();
    if !verdict.holds() {
        eprintln!("what was done and logged is kept in {}", folder.keep().display());
        eprintln!("repeat with: {}", plan.repeat());
    }
    Ok(verdict)
}

impl Stage {
    /// Lets the faults strike while agents are at work, and heals everything.
    async fn play(&self, plan: &Plan) -> Result<BTreeMap<&'static str, u64>> {
        let crowd = Crowd::start(self.server.url(), &self.ledger, plan.seed);
        let showing = tokio::spawn(self.clone().show());
        let mut faults = Faults::new(self.clone());
        let start = Instant::now();
        for planned in draw(plan.seed, plan.length, plan.routers) {
            tokio::time::sleep_until(start + planned.at).await;
            faults.strike(planned.fault)?;
        }
        tokio::time::sleep_until(start + plan.length).await;
        let struck = faults.heal().await?;
        crowd.end().await?;
        showing.abort();
        Ok(struck)
    }

    /// Shows each second how far it is.
    async fn show(self) {
        let start = Instant::now();
        loop {
            sleep(Duration::from_secs(1)).await;
            let (accepted, heard) = self.ledger.progress();
            let (alive, all, kills) = {
                let fleet = self.fleet();
                (fleet.alive(), fleet.count(), fleet.ends.killed)
            };
            let at = start.elapsed().as_secs();
            eprintln!(
                "{at:>4} s  {accepted} accepted, {heard} heard, {kills} kills, {alive} of {all} routers"
            );
        }
    }
}
