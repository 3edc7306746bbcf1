//! The folder that a person has opened for a conversation's workbench, and its snapshots.
//!
//! A model names no folder: it comes with a person's own word, and is judged here. The store keeps which one is open, and
//! router/state/work what was in it before each task, where no skill and no agent can write.

mod folder;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use home::{Home, file};
use protocol::{Code, Millis, Stopped};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use snapshot::Snapshots;

use crate::call::Call;
use crate::session_key::key_of;
use shared::{self, Store, StoreFault, WORK};

/// How often old snapshots are looked for.
const DAY: Duration = Duration::from_hours(24);

/// The folders that people have opened, of all routers that share the store. Clones share it.
#[derive(Debug, Clone)]
pub struct Workbench {
    home: Home,
    store: Arc<dyn Store>,
    /// What is open for as long as this router lives, by the session.
    passing: Arc<Mutex<HashMap<String, Opened>>>,
}

/// What is open, as the store keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Opened {
    folder: PathBuf,
    /// The repositories in the folder that its index named when a person opened it; none in the entry of an older router.
    repositories: Option<BTreeSet<PathBuf>>,
}

/// For how long a folder stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// Until it is closed, or another one is opened.
    UntilClosed,
    /// Until then, and at most until this router ends.
    WithRouter,
}

impl Workbench {
    /// Keeps it in `store`, and snapshots in `home`.
    #[must_use]
    pub fn new(home: &Home, store: &Arc<dyn Store>) -> Self {
        Self { home: home.clone(), store: Arc::clone(store), passing: Arc::default() }
    }

    /// The folder that a person means by `named`.
    ///
    /// # Errors
    /// `bad_params` says why it can't be opened, and what can.
    pub(crate) async fn find(&self, named: &str) -> Result<PathBuf, Stopped> {
        let (named, home) = (named.to_owned(), self.home.clone());
        let found = beside(move || folder::openable(&named, &home)).await?;
        found.map_err(|why| Stopped::new(Code::BadParams, why))
    }

    /// Opens `folder` for the session `key`, in the place of what was open.
    ///
    /// # Errors
    /// `internal` when the store can't be used.
    pub(crate) async fn open(&self, key: &str, folder: &Path, lasts: Lasts) -> Result<(), Stopped> {
        self.passing().remove(key);
        // Where that can't be read, nothing in it is known to be the owner's.
        let folder = folder.to_owned();
        let opened = move || Opened {
            repositories: Some(snapshot::repositories(&folder).unwrap_or_default()),
            folder,
        };
        let opened = beside(opened).await?;
        match lasts {
            Lasts::WithRouter => {
                self.passing().insert(key.to_owned(), opened);
                Ok(())
            }
            Lasts::UntilClosed => self.keep(key, Some(opened)).await,
        }
    }

    /// Closes what the session `key` has open.
    ///
    /// # Errors
    /// `internal` when the store can't be used.
    pub(crate) async fn close(&self, key: &str) -> Result<(), Stopped> {
        self.passing().remove(key);
        self.keep(key, None).await
    }

    /// What the session `key` has open.
    ///
    /// # Errors
    /// `internal` when the store can't be used.
    pub(crate) async fn opened(&self, key: &str) -> Result<Option<PathBuf>, Stopped> {
        Ok(self.entry(key).await?.map(|opened| opened.folder))
    }

    async fn entry(&self, key: &str) -> Result<Option<Opened>, Stopped> {
        if let Some(opened) = self.passing().get(key) {
            return Ok(Some(opened.clone()));
        }
        let seen = self.store.read(WORK, key).await;
        let opened = seen.and_then(|seen| shared::read_seen((WORK, key), seen.as_deref()));
        opened.map_err(unusable)
    }

    /// Whether any session has a folder open.
    ///
    /// # Errors
    /// `internal` when the store can't be used.
    pub(crate) async fn has_any(&self) -> Result<bool, Stopped> {
        let kept = shared::list::<Opened>(&*self.store, WORK).await.map_err(unusable)?;
        Ok(!kept.is_empty() || !self.passing().is_empty())
    }

    /// Takes in that `call` is about to run in `folder`: before the first one of a task, the folder is kept as it is. What is
    /// given is held until the call has ended.
    ///
    /// # Errors
    /// `internal`; then it must not run.
    pub(crate) async fn begin(&self, call: &Call, folder: PathBuf) -> Result<AtWork, Stopped> {
        let (this, task) = (self.clone(), call.command.envelope.asked);
        let key = key_of(&call.command);
        let snapshots = self.snapshots(key);
        let known = self.entry(key).await?.and_then(|opened| opened.repositories);
        let begun = tokio::task::spawn_blocking(move || {
            let alone = this.alone()?;
            // What a job of an earlier command has made is no part of the folder as it was.
            let made = set_aside(&folder, known.as_ref());
            let at = snapshots.begin(&folder, task, Millis::of_this_machine())?;
            drop(alone);
            Ok(AtWork { open: Some(Open { this, snapshots, at, folder, known, made }) })
        });
        let begun = begun.await.map_err(io::Error::other).and_then(|begun| begun);
        begun.map_err(|error: io::Error| {
            let why = format!(
                "the folder can't be kept as it is ({error}), so nothing was run in it; make room for router/state"
            );
            Stopped::new(Code::Internal, why)
        })
    }

    /// The folder of the latest task of the session `key`.
    ///
    /// # Errors
    /// `bad_params` when there is none, or it can't be worked in any more; `internal` when that can't be read.
    pub(crate) async fn undoable(&self, key: &str) -> Result<PathBuf, Stopped> {
        let snapshots = self.snapshots(key);
        let next = beside(move || snapshots.next(Millis::of_this_machine())).await?;
        let next = next.map_err(|error| lost(&error))?;
        let (folder, _) = next.ok_or_else(|| Stopped::new(Code::BadParams, NOTHING))?;
        self.find(&folder.to_string_lossy()).await
    }

    /// Puts the folder of the session `key` back as it was before the latest task, and says what came of it.
    ///
    /// # Errors
    /// The same, and why it could not be put back.
    pub(crate) async fn undo(&self, key: &str) -> Result<String, Stopped> {
        let (this, snapshots) = (self.clone(), self.snapshots(key));
        let undone = tokio::task::spawn_blocking(move || {
            let _alone = this.alone()?;
            snapshots.undo(Millis::of_this_machine())
        });
        let undone = undone.await.map_err(io::Error::other).and_then(|undone| undone);
        let undone = undone.map_err(|error| lost(&error))?;
        undone
            .map(|undone| snapshot::told(&undone))
            .ok_or_else(|| Stopped::new(Code::BadParams, NOTHING))
    }

    /// Removes the snapshots of all conversations that are too old, at once and then once a day.
    pub(crate) async fn tidy(self) {
        let mut days = tokio::time::interval(DAY);
        loop {
            days.tick().await;
            if let Err(error) = self.sweep().await {
                tracing::warn!("old snapshots can't be removed: {error}");
            }
        }
    }

    async fn sweep(&self) -> io::Result<()> {
        let this = self.clone();
        let swept = tokio::task::spawn_blocking(move || {
            if !this.rooms().exists() {
                return Ok(());
            }
            let _alone = this.alone()?;
            Snapshots::sweep_all(&this.rooms(), Millis::of_this_machine())
        });
        swept.await.map_err(io::Error::other)?
    }

    async fn keep(&self, key: &str, opened: Option<Opened>) -> Result<(), Stopped> {
        let change = |_: Option<Opened>| (opened.clone(), ());
        shared::update(&*self.store, WORK, key, change).await.map_err(unusable)
    }

    /// A folder for each session, whose name can't be chosen.
    fn snapshots(&self, key: &str) -> Snapshots {
        let sum = Sha256::digest(key.as_bytes());
        let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Snapshots::at(self.rooms().join(name))
    }

    fn rooms(&self) -> PathBuf {
        self.home.router_state().join("snapshots")
    }

    fn passing(&self) -> std::sync::MutexGuard<'_, HashMap<String, Opened>> {
        self.passing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else takes a snapshot or puts one back, in other routers of this home, too. It is held by what is given.
    fn alone(&self) -> io::Result<File> {
        file::make_folder(&self.rooms()).map_err(io::Error::other)?;
        let lock = File::create(self.rooms().join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }
}

/// A call that runs in a folder.
pub(crate) struct AtWork {
    /// What is left to do when it has ended; nothing once that is done.
    open: Option<Open>,
}

struct Open {
    this: Workbench,
    snapshots: Snapshots,
    /// The task that the call belongs to.
    at: Millis,
    folder: PathBuf,
    known: Option<BTreeSet<PathBuf>>,
    /// What has been set aside by now, in words.
    made: Vec<String>,
}

impl AtWork {
    /// Sets aside what the call has made for the owner's git to run, writes down how the folder is now, and gives what was set
    /// aside, in words.
    pub(crate) async fn end(mut self) -> Vec<String> {
        match self.open.take() {
            Some(open) => tokio::task::spawn_blocking(|| open.end()).await.unwrap_or_default(),
            None => Vec::new(),
        }
    }
}

/// A call that is stopped has ended, too.
impl Drop for AtWork {
    fn drop(&mut self) {
        if let (Some(open), Ok(runtime)) = (self.open.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn_blocking(|| open.end());
        }
    }
}

impl Open {
    fn end(self) -> Vec<String> {
        let mut made = self.made;
        let ended = self.this.alone().and_then(|_alone| {
            made.extend(set_aside(&self.folder, self.known.as_ref()));
            self.snapshots.ended(self.at)
        });
        if let Err(error) = ended {
            tracing::warn!("how the folder is after a command can't be kept: {error}");
        }
        made
    }
}

/// Sets aside what a task has made for the owner's git to run; what is told of it is logged, too.
pub(crate) fn set_aside(folder: &Path, known: Option<&BTreeSet<PathBuf>>) -> Vec<String> {
    let told = snapshot::set_aside(folder, known);
    told.iter().for_each(|told| tracing::warn!("in {}: {told}", folder.display()));
    told
}

const NOTHING: &str = "there is nothing to undo: no task has run in this conversation since the latest /undo or in the last week";

/// Does what asks the file system beside everything else: a folder of a server that is gone answers nobody.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Stopped::new(Code::Internal, error.to_string()))
}

fn lost(error: &io::Error) -> Stopped {
    let why = format!("the folder can't be put back: {error}; the snapshot is kept, so try again");
    Stopped::new(Code::Internal, why)
}

fn unusable(fault: StoreFault) -> Stopped {
    Stopped::new(Code::Internal, format!("which folder is open can't be kept or read: {fault}"))
}

#[cfg(test)]
mod tests {
    use testkit::TempHome;

    use super::*;

    #[tokio::test]
    async fn old_snapshots_go_though_their_conversation_is_at_rest() {
        let (home, project) = (TempHome::new(), tempfile::tempdir().unwrap());
        let home = Home::find(Some(home.root())).unwrap();
        let store: Arc<dyn Store> = Arc::new(shared::Folder::at(home.router_state()));
        let workbench = Workbench::new(&home, &store);
        let project = project.path().canonicalize().unwrap();
        std::fs::write(project.join("a"), "old").unwrap();
        let now = Millis::of_this_machine();
        let long_ago = Millis(now.0 - 8 * 24 * 3_600 * 1_000);
        workbench.snapshots("rests").begin(&project, None, long_ago).unwrap();
        let room = std::fs::read_dir(workbench.rooms()).unwrap().next().unwrap().unwrap().path();
        workbench.snapshots("works").begin(&project, None, now).unwrap();
        tokio::spawn(workbench.clone().tidy());
        while room.exists() {
            tokio::task::yield_now().await;
        }
        assert_eq!(workbench.snapshots("works").next(now).unwrap(), Some((project, now)));
    }
}
