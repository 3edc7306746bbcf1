//! Carries out the faults of a schedule, and heals them all at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::schedule::Fault;
use crate::stage::Stage;

/// How often it is looked whether a router has been replaced.
const LOOK: Duration = Duration::from_millis(20);

/// The faults of a run.
pub(crate) struct Faults {
    stage: Stage,
    /// Those that last.
    lasting: JoinSet<Result<()>>,
    struck: BTreeMap<&'static str, u64>,
}

impl Faults {
    pub(crate) fn new(stage: Stage) -> Self {
        Self { stage, lasting: JoinSet::new(), struck: BTreeMap::new() }
    }

    /// Carries out a fault; one that lasts goes on by itself.
    pub(crate) fn strike(&mut self, fault: Fault) -> Result<()> {
        *self.struck.entry(name(fault)).or_default() += 1;
        let stage = self.stage.clone();
        match fault {
            Fault::Kill(router) => return stage.fleet().kill(router),
            Fault::Drain(router) => return stage.fleet().drain(router),
            Fault::Pause(router, lasts) => self.lasting.spawn(pause(stage, router, lasts)),
            Fault::Rolling => self.lasting.spawn(roll(stage)),
            Fault::ServerKill(down) => self.lasting.spawn(outage(stage, true, down)),
            Fault::ServerEnd(down) => self.lasting.spawn(outage(stage, false, down)),
            Fault::FlushScripts => self.lasting.spawn(tell(stage, &["SCRIPT", "FLUSH"])),
            Fault::Cut => self.lasting.spawn(tell(stage, &["CLIENT", "KILL", "TYPE", "normal"])),
        };
        Ok(())
    }

    /// Waits until those that last are over, and says how many of each kind there were.
    pub(crate) async fn heal(mut self) -> Result<BTreeMap<&'static str, u64>> {
        while let Some(ended) = self.lasting.join_next().await {
            ended??;
        }
        self.stage.fleet().thaw()?;
        Ok(self.struck)
    }
}

async fn pause(stage: Stage, router: usize, lasts: Duration) -> Result<()> {
    let paused = stage.fleet().pause(router, true)?;
    sleep(lasts).await;
    let fleet = stage.fleet();
    // Its successor was not stopped.
    if paused.is_some() && fleet.process(router) == paused {
        fleet.pause(router, false)?;
    }
    Ok(())
}

async fn roll(stage: Stage) -> Result<()> {
    let routers = stage.fleet().count();
    for router in 0..routers {
        let Some(process) = stage.fleet().process(router) else { continue };
        stage.fleet().drain(router)?;
        while !stage.fleet().is_gone(router, process) {
            sleep(LOOK).await;
        }
    }
    Ok(())
}

async fn outage(stage: Stage, kill: bool, down: Duration) -> Result<()> {
    stage.server.outage(kill, down).await
}

/// Gives the server an order; one that is down has forgotten everything anyway.
async fn tell(stage: Stage, words: &'static [&'static str]) -> Result<()> {
    let client = redis::Client::open(stage.server.url())?;
    if let Ok(mut connection) = client.get_multiplexed_async_connection().await {
        let mut order = redis::cmd(words[0]);
        order.arg(&words[1..]);
        let _ = order.query_async::<()>(&mut connection).await;
    }
    Ok(())
}

fn name(fault: Fault) -> &'static str {
    match fault {
        Fault::Kill(_) => "faults: kill -9 of a router",
        Fault::Pause(..) => "faults: SIGSTOP of a router, then SIGCONT",
        Fault::Drain(_) => "faults: SIGTERM of a router",
        Fault::Rolling => "faults: rolling restart",
        Fault::ServerKill(_) => "faults: kill -9 of Redis",
        Fault::ServerEnd(_) => "faults: SIGTERM of Redis",
        Fault::FlushScripts => "faults: SCRIPT FLUSH",
        Fault::Cut => "faults: all connections cut",
    }
}
