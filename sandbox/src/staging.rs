//! Copies for a router that runs as root: the user that it becomes can't read what is root's alone.
//!
//! A skill's folder below a 0700 home, or with 0600 files, is copied once, and again when it changed. So is
//! the router's own binary. Everybody else's router starts skills as the same user, and needs none of this.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nix::unistd::{Gid, Uid, chown, geteuid};
use tempfile::{Builder, TempDir};

use super::shelf::{self, Shelf};
use super::stage::UNPRIVILEGED;
use super::tree::{Kind, Tree};

/// The copies of one router. They are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Staging {
    temp: PathBuf,
    copies: Mutex<Copies>,
}

#[derive(Debug, Default)]
struct Copies {
    shelf: Option<Shelf>,
    /// What was copied: its state at that time, and where the copy is.
    known: HashMap<PathBuf, (u64, PathBuf)>,
}

/// A scratch directory of the host's file system; it is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch(TempDir);

impl Scratch {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Staging {
    /// Copies are made below `temp` when they are needed.
    pub(super) fn new(temp: &Path) -> Self {
        Self { temp: temp.to_owned(), copies: Mutex::default() }
    }

    /// A path to the same files that the user who runs skills can read.
    ///
    /// # Errors
    /// When `path` can't be read, is too large for a copy, or the copy can't be written.
    pub(super) fn readable(&self, path: &Path) -> io::Result<PathBuf> {
        let path = path.canonicalize()?;
        if !geteuid().is_root() {
            return Ok(path);
        }
        let tree = Tree::read(&path)?;
        if tree.is_open() && shelf::reachable(&path) {
            return Ok(path);
        }
        if !tree.is_whole() {
            let why =
                "a folder that only root can read is too large to be copied: open it for everybody";
            return Err(io::Error::other(why));
        }
        // A copy that failed half-way is not known, so what a panic left behind does no harm.
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let state = tree.state();
        if let Some((_, copy)) = copies.known.get(&path).filter(|(known, _)| *known == state) {
            return Ok(copy.clone());
        }
        // An older copy stays: a skill may be running in it.
        let readable = Permissions::from_mode(0o755);
        let shelf = copies.shelf(&self.temp)?;
        let copy = Builder::new().permissions(readable).tempdir_in(shelf)?.keep();
        let copy = copy.join(path.file_name().unwrap_or_default());
        write(&tree, &copy)?;
        copies.known.insert(path, (state, copy.clone()));
        Ok(copy)
    }

    /// A scratch directory that the user who runs skills owns.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn scratch(&self) -> io::Result<Scratch> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let scratch = Builder::new().prefix("scratch-").tempdir_in(copies.shelf(&self.temp)?)?;
        if geteuid().is_root() {
            let (user, group) = (Uid::from_raw(UNPRIVILEGED), Gid::from_raw(UNPRIVILEGED));
            chown(scratch.path(), Some(user), Some(group))?;
        }
        Ok(Scratch(scratch))
    }
}

impl Copies {
    fn shelf(&mut self, temp: &Path) -> io::Result<&Path> {
        if self.shelf.is_none() {
            self.shelf = Some(Shelf::new(temp)?);
        }
        self.shelf.as_ref().map(Shelf::path).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Writes the copy so that everybody can read it and only root can change it.
fn write(tree: &Tree, copy: &Path) -> io::Result<()> {
    for entry in tree.entries() {
        // `join` of nothing would end with a slash, which no file may have.
        let target =
            if entry.inner.as_os_str().is_empty() { copy.into() } else { copy.join(&entry.inner) };
        match &entry.kind {
            Kind::Directory => fs::create_dir(&target)?,
            Kind::Link(to) => symlink(to, &target)?,
            Kind::File => fs::copy(tree.root().join(&entry.inner).components().as_path(), &target)
                .map(drop)?,
        }
        if !matches!(entry.kind, Kind::Link(_)) {
            let open = if entry.mode & 0o100 != 0 { 0o755 } else { 0o644 };
            fs::set_permissions(&target, Permissions::from_mode(open))?;
        }
    }
    Ok(())
}
