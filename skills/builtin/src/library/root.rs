//! What the command line watches, as it stands on disk.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Each file with its size, when it was written and when anything of it was changed, in seconds and nanoseconds.
type Stamps = BTreeSet<(PathBuf, u64, [i64; 4])>;

/// A file or a folder that is watched.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    /// The folder, or the one that holds the file.
    folder: PathBuf,
    /// The disk on which that stood at the beginning.
    disk: Option<u64>,
    /// As it was at the last look; none when it could not be read, or is to be looked at again.
    stamps: Option<Stamps>,
}

impl Root {
    /// The folder `path`, or the file `path` of `folder`.
    #[must_use]
    pub fn new(path: PathBuf, folder: PathBuf) -> Self {
        Self { disk: disk(&folder), path, folder, stamps: None }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.path == self.folder
    }

    /// Whether nothing has changed since the last time that this was asked.
    pub fn is_as_before(&mut self) -> bool {
        let now = stamps(&self.path).ok();
        std::mem::replace(&mut self.stamps, now) == self.stamps && self.stamps.is_some()
    }

    /// The next look finds a change in any case.
    pub fn look_again(&mut self) {
        self.stamps = None;
    }

    /// Whether `paper` was in it and is not any more. What can't be asked is not gone.
    #[must_use]
    pub fn has_lost(&self, paper: &Path) -> bool {
        paper.starts_with(&self.path) && matches!(paper.try_exists(), Ok(false))
    }

    /// Whether it may stand elsewhere for now, as a disk does that is not mounted: it is empty, or on another disk than at
    /// the beginning. Then what is missing was not removed.
    #[must_use]
    pub fn may_be_away(&self) -> bool {
        let is_empty = self.stamps.as_ref().is_none_or(BTreeSet::is_empty);
        disk(&self.folder) != self.disk || (self.is_folder() && is_empty)
    }
}

fn disk(folder: &Path) -> Option<u64> {
    std::fs::metadata(folder).ok().map(|about| about.dev())
}

/// The files below `path`, or itself. Links and hidden names are left out, as the library leaves them out.
fn stamps(path: &Path) -> io::Result<Stamps> {
    let (mut found, mut left) = (Stamps::new(), vec![path.to_owned()]);
    while let Some(at) = left.pop() {
        let about = std::fs::symlink_metadata(&at)?;
        if about.is_dir() {
            for entry in std::fs::read_dir(&at)? {
                let entry = entry?;
                if !entry.file_name().as_bytes().starts_with(b".") {
                    left.push(entry.path());
                }
            }
        } else if about.is_file() {
            let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
            found.insert((at, about.len(), times));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_change_of_any_file_is_seen_and_an_idle_folder_is_not_asked_about() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        fs::create_dir(path.join("sub")).unwrap();
        fs::write(path.join("sub/a.md"), "a").unwrap();
        let mut root = Root::new(path.clone(), path.clone());
        let mut looks = || [root.is_as_before(), root.is_as_before()];
        assert_eq!(looks(), [false, true]);
        fs::write(path.join("sub/a.md"), "b").unwrap();
        assert_eq!(looks(), [false, true]);
        fs::write(path.join(".hidden"), "b").unwrap();
        assert_eq!(looks(), [true, true]);
        fs::rename(path.join("sub/a.md"), path.join("b.md")).unwrap();
        assert_eq!(looks(), [false, true]);
        fs::remove_file(path.join("b.md")).unwrap();
        assert_eq!(looks(), [false, true]);
        root.look_again();
        assert!(!root.is_as_before());
        fs::remove_dir_all(&path).unwrap();
        assert!(!root.is_as_before() && !root.is_as_before(), "what can't be read is asked about");
    }

    #[test]
    fn what_was_removed_is_lost_and_what_may_be_on_another_disk_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let (a, b) = (path.join("a.md"), path.join("b.md"));
        for file in [&a, &b] {
            fs::write(file, "text").unwrap();
        }
        let mut root = Root::new(path.clone(), path.clone());
        let lost = |root: &Root| [root.has_lost(&a), root.has_lost(&b), root.may_be_away()];
        root.is_as_before();
        assert_eq!(lost(&root), [false, false, false]);
        fs::remove_file(&a).unwrap();
        root.is_as_before();
        assert_eq!(lost(&root), [true, false, false]);
        assert!(!root.has_lost(Path::new("/nowhere/a.md")), "it is another's");
        // A name that no folder can hold can't be asked about.
        assert!(!root.has_lost(&path.join("n".repeat(300))));
        fs::remove_file(&b).unwrap();
        root.is_as_before();
        assert!(root.may_be_away(), "an empty mount point looks like this");
        fs::write(&b, "text").unwrap();
        root.is_as_before();
        assert!(!root.may_be_away());
        root.disk = Some(0);
        assert!(root.may_be_away(), "another disk stands there");
        let one = Root::new(b.clone(), path);
        fs::remove_file(&b).unwrap();
        assert!(one.has_lost(&b) && !one.may_be_away(), "a file that was named is alone there");
    }
}
