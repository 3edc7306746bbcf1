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

/// However long the changes go on, this long after the first one it is looked all the same.
const AT_THE_LATEST: Duration = Duration::from_secs(1);

/// Where the system reports no changes, or stops to: how often to look all the same.
const UNASKED: Duration = Duration::from_secs(30);

/// The newest findings, starting with `first`, for as long as somebody holds the receiver.
pub(super) fn watched(
    folder: PathBuf,
    first: Arc<Found>,
    mut reload: impl FnMut() -> RouterConfig + Send + 'static,
) -> watch::Receiver<Arc<Found>> {
    let (sender, receiver) = watch::channel(first);
    tokio::spawn(async move {
        let (changes, mut changed) = mpsc::channel(1);
        let _watcher = watcher(&folder, changes);
        // Once at first: what changed before the watcher was there is reported by nobody.
        while !sender.is_closed() {
            let (folder, config) = (folder.clone(), reload());
            let before = Arc::clone(&sender.borrow());
            let look = move || scan(&folder, &config, &before);
            if let Ok(found) = tokio::task::spawn_blocking(look).await {
                sender.send_if_modified(|known| {
                    let changed = !known.is_the_same_as(&found);
                    super::report(known, &found);
                    *known = Arc::new(found);
                    changed
                });
            }
            wait_for_change(&mut changed).await;
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
        let until_quiet =
            async { while let Ok(Some(())) = tokio::time::timeout(QUIET, changed.recv()).await {} };
        let _ = tokio::time::timeout(AT_THE_LATEST, until_quiet).await;
    }
}
