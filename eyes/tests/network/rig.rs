//! Eyes with a browser of their own, and a look at the processes behind them.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::Duration;

use eyes::launch::Launcher;
use eyes::{Eyes, Look, LookError, Network, Place, Seen};
use testkit::{children_of, eventually};
use url::Url;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_eyes_driver");

/// Longer than anything takes that works.
const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Rig {
    pub(crate) eyes: Eyes,
    outside: u32,
}

impl Rig {
    /// Eyes that may reach these private hosts.
    pub(crate) fn new(allowed: &[&dyn std::fmt::Display]) -> Self {
        let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        Self::with(Network::new(&allowed).unwrap())
    }

    pub(crate) fn with(network: Network) -> Self {
        let search = OsStr::new("/usr/local/bin:/usr/bin:/bin:/snap/bin");
        let launcher = Launcher::begin_as(Path::new(PROGRAM), search).unwrap();
        let launcher = launcher.expect("chromium is missing; run: cargo xtask setup");
        let outside = launcher.id();
        Self { eyes: Eyes::new(Place::Own(launcher), network), outside }
    }

    pub(crate) async fn look(&self, url: Url) -> Result<Seen, LookError> {
        self.eyes.look(look(url)).await
    }

    /// The process that starts the driver.
    pub(crate) fn outside(&self) -> u32 {
        self.outside
    }

    /// The first process of each browser that is open. What it is about to start looks just like it, so a driver's
    /// children alone count.
    pub(crate) fn browsers(&self) -> HashSet<u32> {
        let is_first = |pid: &u32| {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            runs(*pid) && line.contains("--headless")
        };
        let drivers = children_of(self.outside);
        drivers.into_iter().flat_map(children_of).filter(is_first).collect()
    }

    /// Looks, and gives all processes of the browser that was there first.
    pub(crate) async fn look_with(&self, look: Look) -> (Result<Seen, LookError>, Vec<u32>) {
        let mut looking = std::pin::pin!(self.eyes.look(look));
        tokio::select! {
            biased;
            used = self.a_browser() => (looking.await, used),
            seen = &mut looking => panic!("it ended before a browser was there: {seen:?}"),
        }
    }

    /// Waits until a browser is open, and gives all its processes.
    pub(crate) async fn a_browser(&self) -> Vec<u32> {
        eventually("a browser has a page", async || {
            living(self.outside()).iter().any(|pid| is_renderer(*pid))
        })
        .await;
        let first = self.browsers();
        first.iter().flat_map(|pid| living(*pid)).chain(first.iter().copied()).collect()
    }

    /// The driver.
    pub(crate) fn driver(&self) -> u32 {
        living(self.outside())[0]
    }
}

pub(crate) fn look(url: Url) -> Look {
    Look { url, limit: LONG }
}

fn is_renderer(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/cmdline"))
        .is_ok_and(|line| line.contains("--type=renderer"))
}

/// Whether a process is there and has not ended.
pub(crate) fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// All that descends from a process and still runs.
pub(crate) fn living(pid: u32) -> Vec<u32> {
    let children: Vec<u32> = children_of(pid).into_iter().filter(|pid| runs(*pid)).collect();
    let below: Vec<u32> = children.iter().flat_map(|child| living(*child)).collect();
    [children, below].concat()
}
