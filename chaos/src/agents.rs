//! Those who ask: agents of this version and of the first one, and some that behave badly.

mod first;
mod ours;
mod rude;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::ledger::Ledger;

/// How long an agent waits for a reply: longer than anything here takes.
const LONG: Duration = Duration::from_secs(45);

/// The longest pause between two commands of an agent, in milliseconds.
const PAUSE_MS: u64 = 40;

/// What every agent is given.
#[derive(Debug, Clone)]
pub(crate) struct Orders {
    url: String,
    ledger: Arc<Ledger>,
    /// Cancelled when no further command is to be sent.
    stop: CancellationToken,
    rng: fastrand::Rng,
    name: String,
}

impl Orders {
    /// Orders for somebody outside of a crowd.
    pub(crate) fn alone(url: &str, ledger: &Arc<Ledger>, name: &str) -> Self {
        Self {
            url: url.to_owned(),
            ledger: Arc::clone(ledger),
            stop: CancellationToken::new(),
            rng: fastrand::Rng::with_seed(0),
            name: name.to_owned(),
        }
    }

    /// Whether to go on, after a pause of at most this many milliseconds.
    async fn goes_on(&mut self, most_ms: u64) -> bool {
        let pause = Duration::from_millis(self.rng.u64(..=most_ms));
        timeout(pause, self.stop.cancelled()).await.is_err()
    }

    fn id(&self, count: u64) -> String {
        format!("{}.{count}", self.name)
    }
}

/// The agents at work.
pub(crate) struct Crowd {
    agents: JoinSet<Result<()>>,
    stop: CancellationToken,
}

impl Crowd {
    /// Lets agents loose; each draws what it does from the seed.
    pub(crate) fn start(url: &str, ledger: &Arc<Ledger>, seed: u64) -> Self {
        let (mut agents, stop) = (JoinSet::new(), CancellationToken::new());
        let orders = |name: &str, at: u64| Orders {
            url: url.to_owned(),
            ledger: Arc::clone(ledger),
            stop: stop.clone(),
            rng: fastrand::Rng::with_seed(seed.wrapping_mul(1_000).wrapping_add(at)),
            name: format!("{name}{at}"),
        };
        for at in 0..8 {
            agents.spawn(ours::ask(orders("ours", at)));
        }
        for at in 10..14 {
            agents.spawn(first::ask(orders("first", at)));
        }
        for at in 20..22 {
            agents.spawn(rude::copy(orders("copies", at)));
        }
        agents.spawn(rude::flood(orders("flood", 30)));
        agents.spawn(rude::babble(orders("babble", 40)));
        Self { agents, stop }
    }

    /// Lets them finish what they are at.
    ///
    /// # Errors
    /// When one has failed, or does not finish.
    pub(crate) async fn end(mut self) -> Result<()> {
        self.stop.cancel();
        let bound = Instant::now() + 2 * LONG;
        loop {
            match tokio::time::timeout_at(bound, self.agents.join_next()).await {
                Ok(Some(ended)) => ended??,
                Ok(None) => return Ok(()),
                Err(_) => bail!("{} agents did not finish", self.agents.len()),
            }
        }
    }
}

pub(crate) use ours::probe;
