//! Lists what a skill's folder holds, in a fixed order, and what tells cheaply that some of it has changed.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::check::SkillError;

/// How many files of a skill's folder are looked at.
const MOST_FILES: usize = 20_000;

/// How many bytes they may have together: 512 MiB, which is what the sandbox copies at most.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// What is being copied changes again within this time, as a rule.
const SETTLED: Duration = Duration::from_secs(1);

/// Folders in cargo's `target` with intermediate products, which change without the program.
const CARGO: [&str; 3] = ["deps", "incremental", ".fingerprint"];

/// The folder of git's own files.
const GIT: &str = ".git";

/// One thing in a skill's folder.
pub(super) struct Entry {
    /// Its path below the folder.
    pub(super) inner: String,
    /// Its path.
    pub(super) path: PathBuf,
    /// What the file system says of it.
    pub(super) facts: Metadata,
}

/// What a skill's folder holds.
pub(super) struct Listing {
    /// Files, links and folders, sorted by their paths.
    pub(super) entries: Vec<Entry>,
}

/// The folder on the way to `inner` into which nobody looks, if there is one.
pub(super) fn left_out(inner: &Path) -> Option<&'static str> {
    let mut in_target = false;
    inner.components().find_map(|part| {
        let Component::Normal(part) = part else { return None };
        let known = CARGO.into_iter().find(|name| in_target && part == *name);
        in_target |= part == "target";
        known.or((part == GIT).then_some(GIT))
    })
}

impl Listing {
    /// Lists `folder`.
    ///
    /// # Errors
    /// [`SkillError`] when something can't be read or is neither file, folder nor link, when there is too much,
    /// and for a link that leads out of the folder: what that shows today, it may not show tomorrow.
    pub(super) fn of(folder: &Path) -> Result<Self, SkillError> {
        if folder.is_symlink() {
            return Err(fault(folder, "it is a link; put the folder itself here"));
        }
        let root = folder.canonicalize().map_err(|error| unreadable(folder, &error))?;
        let (mut entries, mut waiting, mut bytes) = (Vec::new(), vec![root.clone()], 0);
        while let Some(next) = waiting.pop() {
            for found in fs::read_dir(&next).map_err(|error| unreadable(&next, &error))? {
                let path = found.map_err(|error| unreadable(&next, &error))?.path();
                let entry = entry(&root, path)?;
                bytes += if entry.facts.is_file() { entry.facts.len() } else { 0 };
                if entries.len() >= MOST_FILES || bytes > MOST_BYTES {
                    let most = format!("{MOST_FILES} files or {} MiB", MOST_BYTES >> 20);
                    return Err(fault(folder, &format!("it holds more than {most}")));
                }
                if entry.facts.is_dir() {
                    if left_out(Path::new(&entry.inner)).is_some() {
                        continue;
                    }
                    waiting.push(entry.path.clone());
                }
                entries.push(entry);
            }
        }
        entries.sort_by(|a, b| a.inner.cmp(&b.inner));
        Ok(Self { entries })
    }

    /// What changes when anything in the folder does. The time of the last change of a file's state is in it,
    /// which nobody can set back, unlike that of its content.
    pub(super) fn stamp(&self) -> [u8; 32] {
        let mut stamp = Sha256::new();
        for Entry { inner, facts, .. } in &self.entries {
            let (content, state) =
                ((facts.mtime(), facts.mtime_nsec()), (facts.ctime(), facts.ctime_nsec()));
            let place = (facts.dev(), facts.ino());
            let version = (inner, place, facts.len(), facts.mode(), content, state);
            stamp.update(format!("{version:?}"));
        }
        stamp.finalize().into()
    }

    /// When the last change was made.
    pub(super) fn written(&self) -> SystemTime {
        let time = |facts: &Metadata| {
            let seconds = Duration::from_secs(u64::try_from(facts.ctime()).unwrap_or_default());
            let rest = Duration::from_nanos(u64::try_from(facts.ctime_nsec()).unwrap_or_default());
            SystemTime::UNIX_EPOCH + seconds + rest
        };
        let times = self.entries.iter().map(|entry| time(&entry.facts));
        times.max().unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

/// Whether what was `written` last lies so far back that it seems whole. A time to come counts as long ago: a
/// clock that was wrong must not leave a skill without its pin.
pub(super) fn is_settled(written: SystemTime) -> bool {
    written.elapsed().is_ok_and(|ago| ago >= SETTLED) || written > SystemTime::now() + SETTLED
}

fn entry(root: &Path, path: PathBuf) -> Result<Entry, SkillError> {
    let facts = fs::symlink_metadata(&path).map_err(|error| unreadable(&path, &error))?;
    let kind = facts.file_type();
    if !(kind.is_dir() || kind.is_file() || kind.is_symlink()) {
        return Err(fault(&path, "it is neither a file nor a folder; remove it"));
    }
    let inner = path.strip_prefix(root).ok().and_then(Path::to_str);
    let inner = inner.ok_or_else(|| fault(&path, "its name is not text in UTF-8; rename it"))?;
    if kind.is_symlink() {
        let to = path.canonicalize().ok();
        let inside = to.as_deref().and_then(|to| to.strip_prefix(root).ok());
        let why = match inside.map(left_out) {
            None => "it is a link that leads out of the skill's folder; put a copy there",
            Some(Some(_)) => "it is a link to what is not looked at; put a copy there",
            Some(None) => "",
        };
        if !why.is_empty() {
            return Err(fault(&path, why));
        }
    }
    Ok(Entry { inner: inner.to_owned(), facts, path })
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> SkillError {
    fault(path, &format!("it can't be read: {error}"))
}

pub(super) fn fault(path: &Path, why: &str) -> SkillError {
    SkillError { file: path.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cargo_and_git_rewrite_is_left_out() {
        for seen in ["deps/lib.py", "node_modules/x/index.js", "target/release/run", "a.git/x"] {
            assert_eq!(left_out(Path::new(seen)), None, "{seen}");
        }
        assert_eq!(left_out(Path::new("target/release/deps/x")), Some("deps"));
        assert_eq!(left_out(Path::new("./.git/hooks/x")), Some(".git"));
    }

    #[test]
    fn a_clock_that_went_back_leaves_nothing_unpinned() {
        let now = SystemTime::now();
        assert!(!is_settled(now));
        assert!(is_settled(now - 2 * SETTLED) && is_settled(now + 20 * SETTLED));
    }
}
