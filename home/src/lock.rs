//! Keeps a second process away from files that only one may write.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::FileError;
use crate::file;

/// A lock file that this process holds. The system releases it when the value is dropped or the process
/// dies, however it dies, so a leftover file locks nobody out.
#[derive(Debug)]
pub struct Lock {
    _held: File,
}

/// The lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else holds it.
    #[error(
        "{} works here already ({}): end it first, or choose another home with --home",
        holder(*pid), path.display()
    )]
    Taken {
        /// The lock file.
        path: PathBuf,
        /// The id of the process that holds it, unless it has not yet written it down.
        pid: Option<u32>,
    },
    /// The lock file can't be used.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A process, in words.
pub(crate) fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

impl Lock {
    /// Takes the lock at `path` without waiting, and writes this process's id into the file.
    ///
    /// # Errors
    /// [`LockError::Taken`] names the process that holds it.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        if let Some(folder) = path.parent() {
            file::make_folder(folder)?;
        }
        match open_locked(path) {
            Ok(held) => Ok(Self { _held: held }),
            Err(TryLockError::WouldBlock) => {
                Err(LockError::Taken { path: path.to_owned(), pid: read_pid(path) })
            }
            Err(TryLockError::Error(e)) => Err(FileError::new("lock", path, e).into()),
        }
    }

    /// Has the folder at `path` alone, without waiting: nobody works in it who came in by [`Home::open`](crate::Home::open), and
    /// nobody comes in. Nothing is written. Where the file system can't lock a folder, it keeps nobody away.
    ///
    /// # Errors
    /// [`LockError::Taken`] when somebody works there.
    pub fn whole(path: &Path) -> Result<Self, LockError> {
        let folder = File::open(path).map_err(|error| FileError::new("open", path, error))?;
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => {
                Err(LockError::Taken { path: path.to_owned(), pid: sharer(&folder) })
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _held: folder }),
        }
    }
}

/// A process that shares `folder`, as proc_locks(5) has it.
fn sharer(folder: &File) -> Option<u32> {
    let (meta, locks) = (folder.metadata().ok()?, std::fs::read_to_string("/proc/locks").ok()?);
    let (major, minor) = (libc::major(meta.dev()), libc::minor(meta.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", meta.ino());
    let mut all = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let its = all.find(|words| words.get(1) == Some(&"FLOCK") && words.contains(&place.as_str()));
    its?.get(4)?.parse().ok()
}

/// Somebody has the folder alone.
pub(crate) struct Whole;

/// Keeps everybody from having the folder at `path` alone, for as long as the file is open; `None` where it can't be locked.
pub(crate) fn share(path: &Path) -> Result<Option<File>, Whole> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(Whole),
        Err(TryLockError::Error(_)) => Ok(None),
        Ok(()) => Ok(Some(folder)),
    }
}

/// Whether somebody holds the lock at `path`, and the id of that process if it is known. Nothing is written.
///
/// # Errors
/// [`FileError`] when that can't be told.
pub(crate) fn holder_of(path: &Path) -> Result<Option<Option<u32>>, FileError> {
    match File::open(path).map(|file| file.try_lock_shared()) {
        Ok(Ok(())) => Ok(None),
        Ok(Err(TryLockError::WouldBlock)) => Ok(Some(read_pid(path))),
        Ok(Err(TryLockError::Error(error))) => Err(FileError::new("lock", path, error)),
        // Nobody has ever taken it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::new("open", path, error)),
    }
}

fn open_locked(path: &Path) -> Result<File, TryLockError> {
    let mut options = OpenOptions::new();
    // An agent can make a link in its workspace, and what is locked is emptied.
    options.custom_flags(libc::O_NOFOLLOW);
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    // The id is there for the words of an error. On a full disk the lock holds without it.
    let _ = write_pid(&file);
    Ok(file)
}

fn write_pid(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn read_pid(path: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(path).ok()?.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_held_once_and_free_again_when_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workspace/agent.lock");
        let lock = Lock::take(&path).unwrap();
        let error = Lock::take(&path).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "process {} works here already ({}): end it first, or choose another home with --home",
                std::process::id(),
                path.display()
            )
        );
        drop(lock);
        Lock::take(&path).unwrap();
    }

    #[test]
    fn what_an_earlier_holder_wrote_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.lock");
        std::fs::write(&path, "no number, and longer than one").unwrap();
        let _lock = Lock::take(&path).unwrap();
        assert_eq!(read_pid(&path), Some(std::process::id()));
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, policy) = (folder.path().join("agent.lock"), folder.path().join("policy.toml"));
        std::fs::write(&policy, "mine").unwrap();
        std::os::unix::fs::symlink(&policy, &path).unwrap();
        let error = Lock::take(&path).unwrap_err().to_string();
        assert!(error.contains("agent.lock"), "{error}");
        assert_eq!(std::fs::read_to_string(&policy).unwrap(), "mine");
    }
}
