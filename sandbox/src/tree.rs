//! A skill's folder as a list: what is in it, who may read it, and whether it changed.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The most entries of a folder that is copied.
const MAX_ENTRIES: usize = 20_000;

/// The most bytes of a folder that is copied: 512 MiB.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// What an entry is.
#[derive(Debug, Hash)]
pub(super) enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link, and where it leads.
    Link(PathBuf),
    /// A file.
    File,
}

/// One file, link or directory.
#[derive(Debug, Hash)]
pub(super) struct Entry {
    /// Its path below the root; empty for the root itself.
    pub(super) inner: PathBuf,
    /// What it is.
    pub(super) kind: Kind,
    /// Its permission bits.
    pub(super) mode: u32,
    /// What changes when somebody writes it: inode, size, and both times in seconds and nanoseconds.
    version: [i64; 6],
}

/// A file, or a folder with all that is in it; directories stand before what they hold.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    entries: Vec<Entry>,
    whole: bool,
}

impl Tree {
    /// Lists what is at and below `root`, up to what may be copied. Devices, sockets and pipes are left out.
    ///
    /// # Errors
    /// When something can't be read.
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self { root: root.to_owned(), entries: Vec::new(), whole: true };
        let mut waiting = vec![PathBuf::new()];
        let mut bytes = 0;
        while let Some(inner) = waiting.pop() {
            let path = root.join(&inner);
            let found = fs::symlink_metadata(path.components().as_path())?;
            bytes += found.len();
            if tree.entries.len() >= MAX_ENTRIES || bytes > MAX_BYTES {
                tree.whole = false;
                break;
            }
            if found.is_dir() {
                for child in fs::read_dir(&path)? {
                    waiting.push(inner.join(child?.file_name()));
                }
            }
            if let Some(kind) = kind(&path, &found)? {
                tree.entries.push(Entry::new(inner, kind, &found));
            }
        }
        Ok(tree)
    }

    /// Where it is.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// What is in it.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether that is all, or there is too much for a copy.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether everybody may read what was listed, and run what its owner may run.
    pub(super) fn is_open(&self) -> bool {
        self.entries.iter().all(|entry| match entry.kind {
            Kind::Link(_) => true,
            _ => entry.mode & 0o004 != 0 && (entry.mode & 0o100 == 0 || entry.mode & 0o001 != 0),
        })
    }

    /// A number that changes with what is in it.
    pub(super) fn state(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.entries.hash(&mut hasher);
        hasher.finish()
    }
}

impl Entry {
    fn new(inner: PathBuf, kind: Kind, found: &Metadata) -> Self {
        let version = [
            found.ino().cast_signed(),
            found.size().cast_signed(),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec(),
        ];
        Self { inner, kind, mode: found.mode() & 0o7777, version }
    }
}

fn kind(path: &Path, found: &Metadata) -> io::Result<Option<Kind>> {
    Ok(if found.is_dir() {
        Some(Kind::Directory)
    } else if found.is_symlink() {
        Some(Kind::Link(fs::read_link(path)?))
    } else {
        found.is_file().then_some(Kind::File)
    })
}
