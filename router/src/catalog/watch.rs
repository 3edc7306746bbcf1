//! Looks again when something under router/skills or in router/config.json changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use super::scan::{Found, scan};
use crate::config::RouterConfig;

/// A copy of a folder arrives as many changes; this long after the last one it is whole.
const QUIET: Duration = Duration::from_millis(150);

/// Where the system reports no changes, or stops to: how often to look all the same.
const UNASKED: Duration = Duration::from_secs(30);

/// The newest findings, starting with `first`, for as long as somebody holds the receiver.
pub(super) fn watched(
    folder: PathBuf,
    first: Arc<Found>,
    reload: impl Fn() -> RouterConfig + Send + 'static,
) -> watch::Receiver<Arc<Found>> {
    let (sender, receiver) = watch::channel(first);
    tokio::spawn(async move {
        let (changes, mut changed) = mpsc::channel(1);
        let _watcher = watcher(&folder, changes);
        while !sender.is_closed() {
            wait_for_change(&mut changed).await;
            let (folder, config) = (folder.clone(), reload());
            let before = Arc::clone(&sender.borrow());
            let look = move || scan(&folder, &config, &before);
            let Ok(found) = tokio::task::spawn_blocking(look).await else { continue };
            sender.send_if_modified(|known| {
                let changed = !known.is_the_same_as(&found);
                super::report(known, &found);
                *known = Arc::new(found);
                changed
            });
        }
    });
    receiver
}

fn watcher(folder: &Path, changes: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
    let report = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too, and scanning reads: only what changes something counts.
        if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
            // Full means that a change is reported already.
            let _ = changes.try_send(());
        }
    };
    let watcher = notify::recommended_watcher(report).and_then(|mut watcher| {
        watcher.watch(folder, RecursiveMode::Recursive)?;
        // The owner's wishes stand beside the skills, in the folder above.
        if let Some(above) = folder.parent() {
            watcher.watch(above, RecursiveMode::NonRecursive)?;
        }
        Ok(watcher)
    });
    watcher
        .inspect_err(|error| {
            tracing::warn!(%error, "changes under {} are seen only every 30 s", folder.display());
        })
        .ok()
}

async fn wait_for_change(changed: &mut mpsc::Receiver<()>) {
    // Without a watcher the channel is closed; then the unasked look is all there is.
    let first = async {
        if changed.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    };
    if tokio::time::timeout(UNASKED, first).await.is_ok() {
        while tokio::time::timeout(QUIET, changed.recv()).await.is_ok_and(|change| change.is_some())
        {
        }
    }
}
