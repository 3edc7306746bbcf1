//! The names under which the routers of one home serve, each process's in a file that it holds locked: whoever finds such a
//! file unlocked knows at once that its process is dead.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// What a file ends with that is complete.
const ENDING: &str = "life";

/// A lock says nothing about processes from before the machine was started, or about those of another machine that shares
/// the folder. This number tells them apart (proc(5)).
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// This process's file among those of its home.
#[derive(Debug)]
pub(super) struct Lives {
    folder: PathBuf,
    mine: PathBuf,
    file: File,
    boot: String,
}

/// A process that has died without leaving.
#[derive(Debug)]
pub(super) struct Dead {
    /// The names under which it has served.
    pub(super) names: Vec<String>,
    path: PathBuf,
    /// Nobody else finds it dead meanwhile.
    _lock: File,
}

impl Lives {
    /// A file in `folder`, which is made if it is missing.
    ///
    /// # Errors
    /// When one of them can't be written.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let name = Uuid::now_v7().simple().to_string();
        let (making, mine) = (folder.join(&name), folder.join(format!("{name}.{ENDING}")));
        let mut file = File::create_new(&making)?;
        // Under its name it is locked already: a router that begins now would take this one for dead.
        file.lock()?;
        let boot = fs::read_to_string(BOOT).unwrap_or_default().trim().to_owned();
        writeln!(file, "{boot}")?;
        fs::rename(making, &mine)?;
        Ok(Self { folder: folder.to_owned(), mine, file, boot })
    }

    /// Writes down the name under which this process serves from now on.
    ///
    /// # Errors
    /// When it can't be written.
    pub(super) fn note(&self, name: &str) -> io::Result<()> {
        writeln!(&self.file, "{name}")
    }

    /// This process leaves, and has nothing in its hands.
    pub(super) fn leave(&self) {
        // One that stays is found later, and nobody has anything of it.
        let _ = fs::remove_file(&self.mine);
    }

    /// Those who have died on this machine, in no order.
    pub(super) fn dead(&self) -> Vec<Dead> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let others = paths.filter(|path| {
            *path != self.mine && path.extension().is_some_and(|ending| ending == ENDING)
        });
        others.filter_map(|path| self.is_dead(path)).collect()
    }

    fn is_dead(&self, path: PathBuf) -> Option<Dead> {
        let lock = File::open(&path).ok()?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return None,
        }
        let text = fs::read_to_string(&path).ok()?;
        let mut lines = text.lines().map(str::to_owned);
        let is_of_now = lines.next().is_some_and(|boot| boot == self.boot && !boot.is_empty());
        // Of those from before there is nothing to know: they count as dead once they have been silent for long.
        let names = if is_of_now { lines.collect() } else { Vec::new() };
        Some(Dead { names, path, _lock: lock })
    }
}

impl Dead {
    /// What it had in its hands is taken over.
    pub(super) fn forget(self) {
        // One that stays is found again, and nothing is in its hands then.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_its_file_lives_and_who_does_not_is_dead() {
        let folder = tempfile::tempdir().unwrap();
        let me = Lives::open(folder.path()).unwrap();
        let other = Lives::open(folder.path()).unwrap();
        other.note("one").unwrap();
        other.note("two").unwrap();
        assert!(me.dead().is_empty());
        drop(other);
        // A process that another test starts just now holds the file until it runs its program.
        let mut dead = Vec::new();
        testkit::wait_until("the other is found dead", || {
            dead = me.dead();
            !dead.is_empty()
        });
        assert_eq!(dead.len(), 1);
        assert_eq!(dead[0].names, ["one", "two"]);
        assert!(me.dead().is_empty(), "it is being buried");
        dead.remove(0).forget();
        assert!(me.dead().is_empty());
    }

    #[test]
    fn of_those_from_before_the_machine_was_started_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let me = Lives::open(folder.path()).unwrap();
        fs::write(folder.path().join("x.life"), "another-boot\none\n").unwrap();
        fs::write(folder.path().join("making"), "").unwrap();
        let dead = me.dead();
        assert_eq!(dead.iter().map(|dead| dead.names.len()).collect::<Vec<_>>(), [0]);
    }
}
