//! How files come into a home and what stood there is kept: whenever this is cut off, each file is there, the old one or the
//! new one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use home::{Home, Lock};

use crate::BackupError;

/// A folder that is made where it is missing, and goes again if nothing is left in it.
#[derive(Debug)]
pub(crate) struct Ground {
    /// The folders that were made, from the inside.
    made: Vec<PathBuf>,
}

impl Ground {
    /// The folder at `path`.
    pub(crate) fn at(path: &Path) -> Result<Self, BackupError> {
        let missing = path.ancestors().take_while(|folder| !folder.exists());
        let ground = Self { made: missing.map(Path::to_owned).collect() };
        home::file::make_folder(path)?;
        Ok(ground)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // What holds something stays, and so does everything around it.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// Takes every lock of the home, so that nobody writes there and nobody starts.
pub(crate) fn hold(home: &Home) -> Result<Vec<Lock>, BackupError> {
    // First: whoever comes in from now on looks at this one, and names this process.
    let mut held = vec![Lock::take(&home.change_lock())?];
    // A home with a router alone has no agent to keep away.
    if home.workspace().exists() {
        held.push(Lock::take(&home.agent_lock())?);
    }
    let entries = fs::read_dir(home.router_audit()).into_iter().flatten().flatten();
    for lock in entries.map(|entry| entry.path()) {
        if lock.extension().is_some_and(|end| end == "lock") {
            held.push(Lock::take(&lock)?);
        }
    }
    // Last, because those above name the process: whoever has just come in has no lock of its own yet, and a command has none.
    held.push(Lock::whole(home.root())?);
    Ok(held)
}

/// Has the file at `from` stand at `to` as well. One that was kept there before stays. A folder in its place is moved there, or is
/// set aside where something of it was kept already; an empty one goes.
pub(crate) fn keep(from: &Path, to: &Path) -> Result<(), BackupError> {
    if from.is_dir() {
        return match fs::remove_dir(from) {
            Ok(()) => Ok(()),
            Err(_) if to.exists() => Ok(home::file::set_aside(from).map(drop)?),
            Err(_) => put(from, to),
        };
    }
    make_room(to)?;
    let kept = match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Not every file system has links.
        Err(_) => fs::copy(from, to).and_then(|_| File::open(to)?.sync_all()),
        Ok(()) => Ok(()),
    };
    kept.map_err(BackupError::io("keep a file at", to))
}

/// Moves the file at `from` to `to`, in the place of what stands there.
pub(crate) fn put(from: &Path, to: &Path) -> Result<(), BackupError> {
    make_room(to)?;
    let moved = match fs::rename(from, to) {
        // A part of the home may be a file system of its own.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => carry(from, to),
        moved => moved,
    };
    moved.map_err(BackupError::io("move a file to", to))
}

/// Moves a file to another file system.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(Path::new("/"));
    let draft = tempfile::Builder::new().prefix(".draft-").suffix(".tmp").tempfile_in(folder)?;
    let draft = draft.into_temp_path();
    fs::copy(from, &draft)?;
    File::open(&draft)?.sync_all()?;
    draft.persist(to)?;
    fs::remove_file(from)
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn a_file_moves_to_another_file_system_with_its_mode() {
        let (here, there) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
        let device = |path: &Path| fs::metadata(path).unwrap().dev();
        assert_ne!(
            device(here.path()),
            device(there.path()),
            "/dev/shm is no file system of its own"
        );
        let (from, to) = (here.path().join("run"), there.path().join("skills/run"));
        fs::write(&from, "new").unwrap();
        fs::set_permissions(&from, fs::Permissions::from_mode(0o755)).unwrap();
        put(&from, &to).unwrap();
        assert_eq!((fs::read_to_string(&to).unwrap().as_str(), from.exists()), ("new", false));
        assert_eq!(fs::metadata(&to).unwrap().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
    }
}
