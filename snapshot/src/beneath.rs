//! A folder that is held open: each name in it is found from there, and no link is followed.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};

/// An open folder.
#[derive(Debug)]
pub(crate) struct Beneath(OwnedFd);

impl Beneath {
    /// Opens `path`, on which no link may lie.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let how = OpenHow::new().flags(FOLDER).resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
        Ok(Self(openat2(AT_FDCWD, path, how)?))
    }

    /// The folder `path` below this one, which must lie on the same file system.
    pub(crate) fn folder(&self, path: &Path) -> io::Result<Self> {
        self.opened(path, FOLDER)
    }

    fn opened(&self, path: &Path, flags: OFlag) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let inside = ResolveFlag::RESOLVE_BENEATH
            | ResolveFlag::RESOLVE_NO_SYMLINKS
            | ResolveFlag::RESOLVE_NO_XDEV;
        Ok(Self(openat2(&self.0, path, OpenHow::new().flags(flags).resolve(inside))?))
    }

    /// The folder of `path`, and its name there.
    pub(crate) fn parent<'p>(&self, path: &'p Path) -> io::Result<(Self, &'p OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((self.folder(path.parent().unwrap_or(Path::new("")))?, name))
    }

    /// The names in it.
    pub(crate) fn names(&self) -> io::Result<Vec<std::ffi::OsString>> {
        fs::read_dir(self.here())?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// What stands under `name`, which is no way but a name.
    pub(crate) fn facts(&self, name: &OsStr) -> io::Result<Metadata> {
        fs::symlink_metadata(self.at(name))
    }

    /// Opens the regular file `name` for reading, and waits for nobody.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<File> {
        let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
        let file = File::options().read(true).custom_flags(flags).open(self.at(name))?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// The way to `name` for calls of the system that follow no link at its end.
    pub(crate) fn at(&self, name: &OsStr) -> PathBuf {
        self.here().join(name)
    }

    /// Gives the folder `path` below this one the permissions `mode`, also where nobody may read it.
    pub(crate) fn allow(&self, path: &Path, mode: u32) -> io::Result<()> {
        let folder = self.opened(path, FOLDER.union(OFlag::O_PATH))?;
        let kept = fs::metadata(folder.here())?.mode() & 0o6000;
        fs::set_permissions(folder.here(), Permissions::from_mode(kept | mode))
    }

    fn here(&self) -> PathBuf {
        // The kernel leads this to the open folder, wherever that has been moved.
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

const FOLDER: OFlag = OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);

/// The permissions with which its owner can do all in a folder.
pub(crate) const OPEN: u32 = 0o700;

/// Whether nothing is there, be it that something else than a folder stands on the way.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    let errors = [Errno::ENOENT, Errno::ENOTDIR, Errno::ELOOP];
    errors.iter().any(|errno| error.raw_os_error() == Some(*errno as i32))
}
