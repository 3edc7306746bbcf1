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

use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{Gid, Uid, chown, geteuid};
use tempfile::{Builder, TempDir};

use super::stage::UNPRIVILEGED;
use super::tree::{Kind, Tree};

/// Where copies may lie if the first choice forbids programs or can't be reached.
const OTHER_PLACES: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// The copies of one router. They are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Staging {
    temp: PathBuf,
    copies: Mutex<Copies>,
}

#[derive(Debug, Default)]
struct Copies {
    place: Option<TempDir>,
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
        if tree.is_open() && reachable(&path) {
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
        let place = match &copies.place {
            Some(place) => place.path().to_owned(),
            None => copies.place.insert(self.place()?).path().to_owned(),
        };
        // An older copy stays: a skill may be running in it.
        let copy = Builder::new().permissions(Permissions::from_mode(0o755)).tempdir_in(place)?;
        let copy = copy.keep().join(path.file_name().unwrap_or_default());
        write(&tree, &copy)?;
        copies.known.insert(path, (state, copy.clone()));
        Ok(copy)
    }

    /// A scratch directory that the user who runs skills owns.
    ///
    /// # Errors
    /// When it can't be made.
    pub(super) fn scratch(&self) -> io::Result<Scratch> {
        let scratch = Builder::new().prefix("safeclaw-scratch-").tempdir_in(&self.temp)?;
        if geteuid().is_root() {
            let (user, group) = (Uid::from_raw(UNPRIVILEGED), Gid::from_raw(UNPRIVILEGED));
            chown(scratch.path(), Some(user), Some(group))?;
        }
        Ok(Scratch(scratch))
    }

    /// A directory that others can pass through but not list.
    fn place(&self) -> io::Result<TempDir> {
        let places = [self.temp.as_path()].into_iter().chain(OTHER_PLACES.map(Path::new));
        let place = places.into_iter().find(|place| reachable(&place.join("x")) && may_run(place));
        let place = place.ok_or_else(|| {
            io::Error::other("no temporary directory allows programs: set TMPDIR to one that does")
        })?;
        let private = Permissions::from_mode(0o711);
        Builder::new().prefix("safeclaw-skills-").permissions(private).tempdir_in(place)
    }
}

/// Whether everybody may pass through every directory above `path`.
fn reachable(path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .all(|above| fs::metadata(above).is_ok_and(|above| above.permissions().mode() & 0o001 != 0))
}

fn may_run(place: &Path) -> bool {
    statvfs(place).is_ok_and(|mount| !mount.flags().contains(FsFlags::ST_NOEXEC))
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
