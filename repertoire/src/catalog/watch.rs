//! Looks again when something under router/skills, in router/config.json or among the pins changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use home::Home;
use notify::{EventKind, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use super::held;
use super::pins::Pins;
use super::scan::{Found, scan};
use crate::config::RouterConfig;

/// A copy of a folder arrives as many changes; this long after the last one it is whole.
const QUIET: Duration = Duration::from_millis(150);

/// However long the changes go on, this long after the first one it is looked all the same.
const AT_THE_LATEST: Duration = Duration::from_secs(1);

/// Where the system reports no changes, or stops to: how often to look all the same.
const UNASKED: Duration = Duration::from_secs(30);

/// How soon to look again at what was too new for a pin.
const SOON: Duration = Duration::from_millis(1_100);

/// Looks through the skills of `home` and holds back what its pins don't allow; `settle` pins what is new, too.
pub(super) fn look(home: &Home, config: &RouterConfig, before: &Found, settle: bool) -> Found {
    let pins = Pins::of(home);
    let known = pins.establish();
    let mut found = scan(&home.router_skills(), config, before);
    held::hold(&known, &mut found);
    if settle {
        held::pin(&pins, &known, &mut found);
    }
    found
}

/// The newest findings, starting with `first`, for as long as somebody holds the receiver.
pub(super) fn watched(
    home: Home,
    first: Arc<Found>,
    mut reload: impl FnMut() -> RouterConfig + Send + 'static,
) -> watch::Receiver<Arc<Found>> {
    let (sender, receiver) = watch::channel(first);
    tokio::spawn(async move {
        let (changes, mut changed) = mpsc::channel(1);
        let _watcher = watcher(&home, changes);
        // Once at first: what changed before the watcher was there is reported by nobody.
        while !sender.is_closed() {
            let (home, config) = (home.clone(), reload());
            let before = Arc::clone(&sender.borrow());
            let look = move || look(&home, &config, &before, true);
            if let Ok(found) = tokio::task::spawn_blocking(look).await {
                sender.send_if_modified(|known| {
                    let changed = !known.is_the_same_as(&found);
                    super::report(known, &found);
                    *known = Arc::new(found);
                    changed
                });
            }
            let unasked = if sender.borrow().unsettled { SOON } else { UNASKED };
            wait_for_change(&mut changed, unasked).await;
        }
    });
    receiver
}

fn watcher(home: &Home, changes: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
    let (state, pins) = (home.router_state(), Pins::of(home).file());
    // Of what the router remembers, the pins alone: a look that fails to write them must not cause the next.
    let counts = move |path: &PathBuf| !path.starts_with(&state) || *path == pins;
    let report = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too, and scanning reads: only what changes something counts.
        if event.is_ok_and(|event| {
            !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(&counts)
        }) {
            // Full means that a change is reported already.
            let _ = changes.try_send(());
        }
    };
    let watcher = notify::recommended_watcher(report).and_then(|mut watcher| {
        watcher.watch(&home.router_skills(), RecursiveMode::Recursive)?;
        // The owner's wishes stand beside the skills, the pins among what the router remembers.
        watcher.watch(&home.router(), RecursiveMode::NonRecursive)?;
        watcher.watch(&home.router_state(), RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    watcher
        .inspect_err(|error| {
            tracing::warn!(%error, "changes under {} are seen only every 30 s", home.router().display());
        })
        .ok()
}

async fn wait_for_change(changed: &mut mpsc::Receiver<()>, unasked: Duration) {
    // Without a watcher the channel is closed; then the unasked look is all there is.
    let first = async {
        if changed.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    };
    if tokio::time::timeout(unasked, first).await.is_ok() {
        let until_quiet =
            async { while let Ok(Some(())) = tokio::time::timeout(QUIET, changed.recv()).await {} };
        let _ = tokio::time::timeout(AT_THE_LATEST, until_quiet).await;
    }
}
