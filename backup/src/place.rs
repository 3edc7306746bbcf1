//! How files come into a home and what stood there is kept: whenever this is cut off, each file is there, the old one or the
//! new one.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use home::{Home, Lock};

use crate::BackupError;

/// Takes every lock of the home, so that nobody writes there.
pub(crate) fn hold(home: &Home) -> Result<Vec<Lock>, BackupError> {
    let mut held = Vec::new();
    // A home with a router alone has no agent to keep away.
    if home.workspace().exists() {
        held.push(Lock::take(&home.agent_lock())?);
    }
    let Ok(entries) = fs::read_dir(home.router_audit()) else { return Ok(held) };
    for entry in entries.flatten() {
        if entry.path().extension().is_some_and(|end| end == "lock") {
            held.push(Lock::take(&entry.path())?);
        }
    }
    Ok(held)
}

/// Has the file at `from` stand at `to` as well. One that was kept there before stays.
pub(crate) fn keep(from: &Path, to: &Path) -> Result<(), BackupError> {
    make_room(to)?;
    let kept = match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Not every file system has links.
        Err(_) => fs::copy(from, to).and_then(|_| File::open(to)?.sync_all()),
        Ok(()) => Ok(()),
    };
    kept.map_err(BackupError::io("cannot keep a file at", to))
}

/// Moves the file at `from` to `to`, in the place of what stands there.
pub(crate) fn put(from: &Path, to: &Path) -> Result<(), BackupError> {
    make_room(to)?;
    fs::rename(from, to).map_err(BackupError::io("cannot move a file to", to))
}

/// Makes the folders that a file at `path` needs.
fn make_room(path: &Path) -> Result<(), BackupError> {
    Ok(path.parent().map(home::file::make_folder).transpose().map(drop)?)
}

/// Whether every folder on the way from `root` to `path` is one: an agent can make links in the home that its owner would follow.
pub(crate) fn no_link(root: &Path, path: &str) -> Result<(), BackupError> {
    let folders = Path::new(path).ancestors().skip(1).map(|folder| root.join(folder));
    let link = folders.take_while(|folder| folder != root).find(|folder| folder.is_symlink());
    link.map_or(Ok(()), |link| Err(BackupError::Link(link)))
}
