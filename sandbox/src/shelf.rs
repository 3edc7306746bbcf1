//! The temporary directory of one router: copies and scratch directories lie in it.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::geteuid;
use tempfile::{Builder, TempDir};

const PREFIX: &str = "safeclaw-skills-";

/// The file in it that its router holds locked while it lives.
const LOCK: &str = "lock";

/// Where it may lie if the first choice forbids programs or can't be reached.
const OTHER_PLACES: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// A directory that others can pass through but not list. It is removed when this is dropped, or by the next
/// router when this one was killed.
#[derive(Debug)]
pub(super) struct Shelf {
    folder: TempDir,
    _lock: File,
}

impl Shelf {
    /// Makes one below `temp`, and removes those whose routers are gone.
    ///
    /// # Errors
    /// When no temporary directory can be written and lets programs run.
    pub(super) fn new(temp: &Path) -> io::Result<Self> {
        let places = [temp].into_iter().chain(OTHER_PLACES.map(Path::new));
        let place = places.into_iter().find(|place| reachable(&place.join("x")) && may_run(place));
        let place = place.ok_or_else(|| {
            io::Error::other("no temporary directory allows programs: set TMPDIR to one that does")
        })?;
        sweep(place);
        let passable = Permissions::from_mode(0o711);
        let folder = Builder::new().prefix(PREFIX).permissions(passable).tempdir_in(place)?;
        // Under its name it is locked already: a router that begins now would take this one for dead.
        let unnamed = folder.path().join("making");
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether everybody may pass through every directory above `path`.
pub(super) fn reachable(path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .all(|above| fs::metadata(above).is_ok_and(|above| above.permissions().mode() & 0o001 != 0))
}

fn may_run(place: &Path) -> bool {
    statvfs(place).is_ok_and(|mount| !mount.flags().contains(FsFlags::ST_NOEXEC))
}

/// Removes what killed routers left. What can't be removed now is left to the next router.
fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.filter_map(Result::ok) {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // Anybody may put something with such a name into a shared directory.
        let ours =
            entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw());
        if named && ours && is_abandoned(&entry.path()) {
            let _ = clear(&entry.path());
        }
    }
}

/// Removes the lock last: without it nobody would ever take the rest for abandoned.
fn clear(shelf: &Path) -> io::Result<()> {
    for entry in fs::read_dir(shelf)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(shelf)
}

/// A shelf without a lock is just being made.
fn is_abandoned(shelf: &Path) -> bool {
    File::open(shelf.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routers_that_begin_at_once_do_not_take_each_other_for_dead() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let shelves: Vec<Shelf> =
                        (0..150).map(|_| Shelf::new(place.path()).unwrap()).collect();
                    assert!(shelves.iter().all(|shelf| shelf.path().exists()));
                });
            }
        });
    }

    #[test]
    fn what_a_killed_router_left_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        // Only root's place must be open to others, but the test runs as root too.
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
        let path = |name: &str| place.path().join(name);
        for name in ["safeclaw-skills-dead", "safeclaw-skills-new", "other"] {
            fs::create_dir(path(name)).unwrap();
        }
        for name in ["safeclaw-skills-dead/lock", "other/lock"] {
            fs::write(path(name), "").unwrap();
        }
        let alive = Shelf::new(place.path()).unwrap();
        let other = Shelf::new(place.path()).unwrap();
        assert!(!path("safeclaw-skills-dead").exists());
        assert!(path("safeclaw-skills-new").exists() && path("other").exists());
        assert!(alive.path().starts_with(place.path()) && alive.path().exists());
        drop(other);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3);
    }

    /// A router that is killed while it sweeps leaves a shelf that the next one still takes for abandoned.
    #[test]
    fn the_lock_of_a_killed_router_goes_last() {
        let place = tempfile::tempdir().unwrap();
        let shelves: Vec<_> = (0..40).map(|n| place.path().join(format!("{PREFIX}{n}"))).collect();
        for shelf in &shelves {
            fs::create_dir(shelf).unwrap();
            fs::write(shelf.join(LOCK), "").unwrap();
            for copy in 0..40 {
                fs::create_dir(shelf.join(format!("copy{copy}"))).unwrap();
            }
        }
        std::thread::scope(|scope| {
            let sweeping = scope.spawn(|| sweep(place.path()));
            while !sweeping.is_finished() {
                for shelf in shelves.iter().filter(|shelf| !shelf.join(LOCK).exists()) {
                    assert_eq!(fs::read_dir(shelf).map_or(0, Iterator::count), 0, "{shelf:?}");
                }
            }
        });
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
