//! By what a file that has changed is told from one that has not.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The clock that stamps files ticks this coarsely or finer. Two changes within one tick can't be told
/// apart by their times.
const TICK: Duration = Duration::from_millis(20);

/// The identity, size and times of a file; `None` for one that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(Option<Seen>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    /// The file was older than a tick when it was looked at, so any later change shows.
    settled: bool,
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Self {
        Self(std::fs::metadata(path).ok().map(|metadata| Seen::of(&metadata)))
    }

    /// Whether a file with this stamp surely is what it was when `earlier` was taken.
    pub(super) fn proves_unchanged_since(self, earlier: Self) -> bool {
        self.looks_like(earlier) && earlier.0.is_none_or(|seen| seen.settled)
    }

    /// Whether nothing speaks for a change since `earlier`.
    pub(super) fn looks_like(self, earlier: Self) -> bool {
        let age_aside = |stamp: Self| stamp.0.map(|seen| Seen { settled: true, ..seen });
        age_aside(self) == age_aside(earlier)
    }
}

impl Seen {
    fn of(metadata: &Metadata) -> Self {
        let age = metadata.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            settled: age.is_some_and(|age| age > TICK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stamp_older_than_a_tick_proves_anything() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stamped = |at: SystemTime| {
            file.as_file().set_modified(at).unwrap();
            Stamp::of(file.path())
        };
        let hour = Duration::from_secs(3_600);
        let old = stamped(SystemTime::now() - hour);
        assert!(old.proves_unchanged_since(old));
        let new = stamped(SystemTime::now() + hour);
        assert!(!new.proves_unchanged_since(new) && new.looks_like(new) && !new.looks_like(old));
    }
}
