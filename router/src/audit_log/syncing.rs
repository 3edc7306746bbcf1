//! Sees to it that what was written is on the disk a second later.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::log::ChainedLog;

/// How long a row may be in memory alone.
const SOON: Duration = Duration::from_secs(1);

/// A thread that syncs a log, and sleeps while nothing is written. It ends with this value, after a last
/// sync.
#[derive(Debug)]
pub(crate) struct Syncing {
    wake: Option<SyncSender<()>>,
    log: Arc<ChainedLog>,
}

impl Syncing {
    pub(crate) fn start(log: Arc<ChainedLog>) -> io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let synced = Arc::clone(&log);
        thread::Builder::new().name("audit".to_owned()).spawn(move || keep(&synced, &woken))?;
        Ok(Self { wake: Some(wake), log })
    }

    /// Has it synced within a second.
    pub(crate) fn soon(&self) {
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
    while woken.recv().is_ok() {
        thread::sleep(SOON);
        if log.is_unsynced() {
            say(log, log.sync());
        }
    }
}

fn say(log: &ChainedLog, synced: io::Result<()>) {
    if let Err(error) = synced {
        tracing::error!(%error, "can't sync {}", log.files().current().display());
    }
}
