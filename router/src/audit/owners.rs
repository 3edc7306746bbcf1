//! The log of the router's own side: `cli.jsonl`, which the command line's processes, each of which lives for one deed, and the
//! window append to, one at a time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use home::{Home, Lock, LockError};
use protocol::Millis;
use secrets::Secrets;

use super::deed::{Deed, Way};
use crate::audit_log::{ChainedLog, FULL, Files};

/// Who decides at the command line, as the audit log and the agent are told.
pub(crate) const MYSELF: &str = "router:owner";

/// How long another command line may hold the log: it writes one row.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether it is free.
const LOOK: Duration = Duration::from_millis(5);

/// Why a deed is not done: it can't be written down.
#[derive(Debug, thiserror::Error)]
#[error("the audit log {} can't be written ({why}), so nothing was changed", path.display())]
pub(crate) struct Unrecorded {
    path: PathBuf,
    why: String,
}

/// Where the command line writes down what it does.
#[derive(Debug, Clone)]
pub(crate) struct OwnersLog {
    folder: PathBuf,
    secrets: Secrets,
    way: Way,
}

impl OwnersLog {
    /// That of `home`; its rows hold none of `secrets`.
    pub(crate) fn of(home: &Home, secrets: Secrets) -> Self {
        Self { folder: home.router_audit(), secrets, way: Way::CommandLine }
    }

    /// The same for what is done at the window.
    pub(crate) fn at_the_window(self) -> Self {
        Self { way: Way::Window, ..self }
    }

    /// Does `deed` once it is written down. Where it comes to nothing, that is written down as well.
    ///
    /// # Errors
    /// Those of doing it, and [`Unrecorded`]; then it was not begun.
    pub(crate) async fn doing<T, E>(
        &self,
        deed: &Deed<'_>,
        done: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E>
    where
        E: From<Unrecorded> + std::fmt::Display,
    {
        self.begin(deed)?;
        self.ended(deed, done.await)
    }

    /// The same for what waits for nothing.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn doing_now<T, E>(
        &self,
        deed: &Deed<'_>,
        done: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<Unrecorded> + std::fmt::Display,
    {
        self.begin(deed)?;
        self.ended(deed, done())
    }

    /// Writes down how a deed ended that had to be done first.
    ///
    /// # Errors
    /// [`Unrecorded`].
    pub(crate) fn done(&self, deed: &Deed<'_>, failed: Option<&str>) -> Result<(), Unrecorded> {
        self.write(deed, failed)
    }

    fn begin(&self, deed: &Deed<'_>) -> Result<(), Unrecorded> {
        self.write(deed, None)
    }

    fn ended<T, E: std::fmt::Display>(&self, deed: &Deed<'_>, ended: Result<T, E>) -> Result<T, E> {
        if let Err(why) = &ended
            && let Err(error) = self.write(deed, Some(&why.to_string()))
        {
            tracing::error!("that it came to nothing is not written down: {error}");
        }
        ended
    }

    /// Writes one row. It is on the disk when this returns.
    fn write(&self, deed: &Deed<'_>, failed: Option<&str>) -> Result<(), Unrecorded> {
        let files = Files::of_the_command_line(&self.folder);
        let path = files.current();
        let unrecorded = |why: String| Unrecorded { path: path.clone(), why };
        let _held = held(&files.lock()).map_err(|error| unrecorded(error.to_string()))?;
        let now = Millis::of_this_machine();
        let row = deed.row(Some(MYSELF), self.way, now, failed);
        let row = self.secrets.redact_object(row);
        let written = ChainedLog::open(files, FULL, now).and_then(|log| {
            log.append(&row)?;
            log.sync()
        });
        written.map_err(|error| unrecorded(error.to_string()))
    }
}

/// The lock, once nobody else holds it.
fn held(path: &Path) -> Result<Lock, LockError> {
    let begun = Instant::now();
    loop {
        match Lock::take(path) {
            Err(LockError::Taken { .. }) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK),
            taken => return taken,
        }
    }
}
