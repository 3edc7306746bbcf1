//! The parts of a run: a Redis, routers, and the ledger of what agents asked and heard.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::{Instant, sleep};

use crate::agents::{Orders, probe};
use crate::effects;
use crate::fleet::{Fleet, Folder};
use crate::found::{Load, Look};
use crate::ledger::Ledger;
use crate::server::{Fsync, Server};
use crate::verdict::{Evidence, Verdict};

/// How often it is looked who has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long it may take until nothing is left to do once everything is healed.
const QUIET_WITHIN: Duration = Duration::from_secs(90);

/// How many commands are sent once everything is healed.
const PROBES: u64 = 30;

/// The parts of a run. Clones are the same ones.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) fleet: Arc<Mutex<Fleet>>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) folder: Folder,
}

impl Stage {
    /// A stage with `routers`, whose kills `seed` draws.
    pub(crate) fn set(
        program: &Path,
        folder: Folder,
        fsync: Fsync,
        (routers, seed): (usize, u64),
    ) -> Result<Self> {
        let server = Server::start(fsync);
        let fleet = Fleet::start(program, server.url(), &folder, routers, seed)?;
        let fleet = Arc::new(Mutex::new(fleet));
        Ok(Self { server, fleet, ledger: Arc::default(), folder })
    }

    /// A stage with no router yet.
    pub(crate) fn empty(program: &Path, folder: Folder) -> Result<Self> {
        Self::set(program, folder, Fsync::Everysec, (0, 0))
    }

    /// Starts routers again that have ended.
    pub(crate) async fn watch(self) -> Result<()> {
        loop {
            self.fleet().look()?;
            sleep(LOOK).await;
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
