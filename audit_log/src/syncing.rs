//! Sees to it that what was written is on the disk a second later, and that files that are full get compressed.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::archive::archive;
use super::log::ChainedLog;

/// How long a row may be in memory alone.
const SOON: Duration = Duration::from_secs(1);

/// A thread that syncs a log, and sleeps while nothing is written. It ends with this value, after a last
/// sync.
#[derive(Debug)]
pub struct Syncing {
    wake: Option<SyncSender<()>>,
    log: Arc<ChainedLog>,
}

impl Syncing {
    /// Starts the thread that syncs `log`.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(log: Arc<ChainedLog>) -> io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let synced = Arc::clone(&log);
        thread::Builder::new().name("audit".to_owned()).spawn(move || keep(&synced, &woken))?;
        Ok(Self { wake: Some(wake), log })
    }

    /// Has it synced within a second.
    pub fn soon(&self) {
        // When it is full, the thread has been woken already.
        let _ = self.wake.as_ref().map(|wake| wake.try_send(()));
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        self.wake = None;
        say(&self.log, self.log.sync());
    }
}

fn keep(log: &ChainedLog, woken: &Receiver<()>) {
    let mut archiving: Option<JoinHandle<()>> = None;
    while woken.recv().is_ok() {
        thread::sleep(SOON);
        if log.is_unsynced() {
            say(log, log.sync());
        }
        if archiving.as_ref().is_none_or(JoinHandle::is_finished) && log.takes_filled() {
            archiving = compress(log);
        }
    }
}

/// Compresses the full files beside the rows that come. A router that ends in the midst of it begins anew at its next start.
fn compress(log: &ChainedLog) -> Option<JoinHandle<()>> {
    let files = log.files().clone();
    let run = move || {
        if let Err(error) = archive(&files) {
            tracing::warn!("a full file of the audit log stays as large as it is: {error}");
        }
    };
    thread::Builder::new().name("archive".to_owned()).spawn(run).ok()
}

fn say(log: &ChainedLog, synced: io::Result<()>) {
    if let Err(error) = synced {
        tracing::error!(%error, "can't sync {}", log.files().current().display());
    }
}
