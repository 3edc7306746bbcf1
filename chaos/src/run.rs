//! A run: everything starts, the faults of the schedule strike, everything is healed, and the verdict is given.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::agents::{Crowd, Orders, probe};
use crate::effects;
use crate::faults::Faults;
use crate::fleet::{Fleet, Folder};
use crate::found::{Load, Look};
use crate::ledger::Ledger;
use crate::schedule::draw;
pub use crate::server::Fsync;
use crate::server::Server;
use crate::verdict::Evidence;
pub use crate::verdict::Verdict;

/// How often it is looked who has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long it may take until nothing is left to do once everything is healed.
const QUIET_WITHIN: Duration = Duration::from_secs(90);

/// How many commands are sent once everything is healed.
const PROBES: u64 = 30;

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

/// The parts of a run. Clones are the same ones.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) fleet: Arc<Mutex<Fleet>>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) folder: Folder,
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
    let stage = Stage::set(plan, Folder(folder.path().to_owned()))?;
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
    fn set(plan: &Plan, folder: Folder) -> Result<Self> {
        let server = Server::start(plan.fsync);
        let fleet = Fleet::start(&plan.program, server.url(), &folder, plan.routers, plan.seed)?;
        let fleet = Arc::new(Mutex::new(fleet));
        Ok(Self { server, fleet, ledger: Arc::default(), folder })
    }

    /// A stage with no router yet.
    pub(crate) fn empty(program: &std::path::Path, folder: Folder) -> Result<Self> {
        let server = Server::start(Fsync::Everysec);
        let fleet = Fleet::start(program, server.url(), &folder, 0, 0)?;
        let fleet = Arc::new(Mutex::new(fleet));
        Ok(Self { server, fleet, ledger: Arc::default(), folder })
    }

    /// Starts routers again that have ended.
    pub(crate) async fn watch(self) -> Result<()> {
        loop {
            self.fleet().look()?;
            sleep(LOOK).await;
        }
    }

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

    /// Waits until nothing is left to do, asks a little more, ends all routers and judges.
    pub(crate) async fn close(&self, faults: BTreeMap<&'static str, u64>) -> Result<Verdict> {
        let quiet = self.quiet().await?;
        let orders = Orders::alone(self.server.url(), &self.ledger, "probe");
        let probed = probe(orders, PROBES).await;
        let alive = self.quiet().await?.routers;
        self.fleet().end()?;
        while self.fleet().alive() > 0 {
            sleep(LOOK).await;
        }
        let evidence = Evidence {
            notes: self.ledger.all(),
            effects: effects::count(&self.folder.effects())?,
            found: Look::new(self.server.url()).await?.everything().await?,
            ends: self.fleet().ends,
        };
        let mut verdict = evidence.judge();
        let all = self.fleet().count() as u64;
        verdict.must("routers alive at the end", alive, all);
        verdict.must("commands that never came to rest", quiet.queued + quiet.in_hands, 0);
        verdict.must("healed, and answering again", u64::from(probed.is_ok()), 1);
        for (fault, count) in faults {
            verdict.fact(fault, count, "");
        }
        verdict.fact("routers killed", evidence.ends.killed, "");
        verdict.fact("routers drained", evidence.ends.drained, "");
        Ok(verdict)
    }

    /// Waits until nothing is queued or in flight and all routers are known again; says what is left if that
    /// does not come.
    async fn quiet(&self) -> Result<Load> {
        let mut look = Look::new(self.server.url()).await?;
        let (start, mut shown) = (Instant::now(), 0);
        loop {
            let load = look.load().await.context("the server is gone")?;
            let routers = self.fleet().count() as u64;
            let quiet = Load { routers, ..Load::default() };
            if load == quiet || start.elapsed() > QUIET_WITHIN {
                return Ok(load);
            }
            if start.elapsed().as_secs() > shown {
                shown = start.elapsed().as_secs();
                let Load { queued, in_hands, routers } = load;
                eprintln!("healed: {queued} queued, {in_hands} in flight, {routers} routers known");
            }
            sleep(5 * LOOK).await;
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, its processes still end with it.
    pub(crate) fn fleet(&self) -> MutexGuard<'_, Fleet> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
