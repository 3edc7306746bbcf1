//! The process beside an agent that starts its browser's driver.
//!
//! ```text
//!   agent ── s, k ──► this process ── starts, kills ──► driver ──► browser
//!     └── WebDriver ──► its desk ── what may be asked ──► driver
//! ```
//!
//! The agent confines itself before it talks to anybody, and can start no programs from then on. So this process
//! is started before. It is asked with one byte, without a word in it that could be wrong, and starts the same
//! driver in the same way each time. A driver that is spoken to directly starts any program with any arguments, and
//! opens any file as a page, so nobody speaks to it but this process: its [`desk`] lets through the browser that
//! [`capabilities`](crate::capabilities) describes, and what is done with pages. Whoever has taken over the agent can
//! have the driver started and killed, and look at pages.
//!
//! It ends with its agent, however that ends, and everything that it has started ends with it.

mod browsers;
mod cage;
mod desk;
mod driver;
mod find;
mod outside;
mod words;

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use url::Url;

pub(crate) use desk::ENDED;
pub use outside::serve;

/// The first argument of a program that means [`serve`].
pub const WORD: &str = "eyes-driver";

/// How long an answer may take: a browser's driver that is read from a slow disk for the first time.
const ANSWER: Duration = Duration::from_secs(30);

/// The driver that a [`Launcher`] would start: the first in a folder of `search`, which is written as PATH is, if there is a
/// browser as well.
#[must_use]
pub fn installed(search: &OsStr) -> Option<std::path::PathBuf> {
    find::driver(search)
}

/// The way to a browser of one's own. What was started through it ends when this is dropped.
#[derive(Debug)]
pub struct Launcher {
    outside: Arc<Mutex<UnixStream>>,
    /// It ends by itself when nobody asks any more.
    process: Child,
}

impl Launcher {
    /// Starts the process that starts drivers, if one is installed in a folder of `search`, which is written as PATH is;
    /// there is no driver yet. It is the running program with [`WORD`]. Call it before the caller gives up starting programs.
    ///
    /// # Errors
    /// When a driver is there, and the process can't be started.
    pub fn begin(search: &OsStr) -> io::Result<Option<Self>> {
        Self::begin_as(&std::env::current_exe()?, search)
    }

    /// The same, with `program` in the place of the running one.
    ///
    /// # Errors
    /// As [`Launcher::begin`].
    #[expect(clippy::disallowed_types, reason = "the start of what starts the driver")]
    pub fn begin_as(program: &Path, search: &OsStr) -> io::Result<Option<Self>> {
        let Some(driver) = find::driver(search) else { return Ok(None) };
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(ANSWER))?;
        let process = std::process::Command::new(program)
            .arg(WORD)
            .arg(driver)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            // A group of its own, so that Ctrl-C does not reach it.
            .process_group(0)
            .spawn()?;
        Ok(Some(Self { outside: Arc::new(Mutex::new(ours)), process }))
    }

    /// The process that starts drivers.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Where the driver is spoken to. One that has ended is started anew.
    ///
    /// # Errors
    /// Why there is none, in words for people.
    pub(crate) async fn start(&self) -> Result<Url, String> {
        let outside = Arc::clone(&self.outside);
        let asked = tokio::task::spawn_blocking(move || {
            let outside = outside.lock().unwrap_or_else(PoisonError::into_inner);
            words::ask(&outside, words::START)?;
            words::take(&outside)
        });
        let answer = asked.await.map_err(io::Error::from).and_then(|answer| answer);
        let said = answer.map_err(|error| format!("what starts the driver is gone: {error}"))?;
        said?.parse().map_err(|_| "what starts the driver makes no sense".to_owned())
    }

    /// Ends the driver and everything that it has started.
    pub(crate) fn kill(&self) {
        let outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        // One that has gone has nothing to kill.
        let _ = words::ask(&outside, words::KILL);
    }
}
