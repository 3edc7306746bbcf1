//! Reads and writes single files so that a crash, a full disk or a second writer never leaves half of one.

mod error;

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use error::FileError;

/// How the name of a file that is still being written begins; its end is [`DRAFT_END`].
const DRAFT_START: &str = ".draft-";
const DRAFT_END: &str = ".tmp";

/// Reads a file of at most `limit` bytes; `None` when there is none.
///
/// # Errors
/// [`FileError`] when it can't be read, is larger, or is no regular file.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    match read_bounded(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(FileError::new("read", path, e)),
    }
}

fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Before it is opened, for opening a pipe waits for a writer.
    let metadata = fs::metadata(path)?;
    must_be_regular(&metadata)?;
    // With room for one more than there should be, which is how the end is found in one go.
    let size = metadata.len().min(limit).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Writes a file whole or not at all, and makes its folder if that is missing.
///
/// Whoever reads `path`, even after a crash of the machine, finds either what stood there before or all of
/// `bytes`: the bytes are on the disk before they get the name. The name itself is not waited for. A
/// file that is there keeps its mode and owner, a new one is readable by its owner alone. Through a
/// symbolic link, the file it points to is written.
///
/// # Errors
/// [`FileError`]; what stood there before still stands.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Unnamed::beside(path, bytes)?.put()
}

/// What is on the disk and has not yet the name of the file that it is for. It is removed when it is dropped.
#[derive(Debug)]
pub struct Unnamed {
    path: PathBuf,
    target: PathBuf,
    draft: NamedTempFile,
}

impl Unnamed {
    /// Does the part of [`write`] that waits for the disk.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn beside(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let made = || {
            let target = resolve(path)?;
            Ok(Self { path: path.to_owned(), draft: draft(&target, bytes)?, target })
        };
        made().map_err(|e| FileError::new("write", path, e))
    }

    /// Gives it the name.
    ///
    /// # Errors
    /// [`FileError`]; what stood there before still stands.
    pub fn put(self) -> Result<(), FileError> {
        let Self { path, target, draft } = self;
        let put = draft.persist(&target);
        put.map(drop).map_err(|e| FileError::new("write", &path, e.error))
    }
}

/// Writes a file in the same way, but only when there is none; says whether it did.
///
/// # Errors
/// [`FileError`], with nothing written.
pub fn write_missing(path: &Path, bytes: &[u8]) -> Result<bool, FileError> {
    let create = || {
        let target = resolve(path)?;
        if target.try_exists()? {
            return Ok(false);
        }
        match draft(&target, bytes)?.persist_noclobber(&target) {
            Ok(_) => Ok(true),
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(e.error),
        }
    };
    create().map_err(|e| FileError::new("write", path, e))
}

/// Renames a file that can't be used to `<name>.broken-<UTC time>` and gives the new path. Nothing is
/// overwritten, and the names sort by time.
///
/// # Errors
/// [`FileError`], with the file where it was.
pub fn set_aside(path: &Path) -> Result<PathBuf, FileError> {
    let stamp = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S%.3fZ").to_string();
    set_aside_as(path, &stamp).map_err(|e| FileError::new("set aside", path, e))
}

fn set_aside_as(path: &Path, stamp: &str) -> io::Result<PathBuf> {
    let is_folder = fs::symlink_metadata(path)?.is_dir();
    for count in 1_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".broken-{stamp}"));
        if count > 1 {
            name.push(format!("-{count}"));
        }
        let aside = PathBuf::from(name);
        // Whoever creates the name owns it, so the rename replaces nothing but this placeholder.
        let claim =
            if is_folder { fs::create_dir(&aside) } else { File::create_new(&aside).map(drop) };
        match claim {
            Ok(()) => return fs::rename(path, &aside).map(|()| aside),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes what writers that were killed left behind in `folder`. Call it only while nobody else writes
/// there, such as under a [`crate::Lock`].
///
/// # Errors
/// [`FileError`] on the folder or on the first draft that can't be removed.
pub fn remove_drafts(folder: &Path) -> Result<(), FileError> {
    let entries = fs::read_dir(folder).map_err(|e| FileError::new("read", folder, e))?;
    for entry in entries {
        let entry = entry.map_err(|e| FileError::new("read", folder, e))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(DRAFT_START) && name.ends_with(DRAFT_END) {
            let path = entry.path();
            fs::remove_file(&path).map_err(|e| FileError::new("remove", &path, e))?;
        }
    }
    Ok(())
}

/// Makes a folder and those above it, where they are missing, readable by their owner alone.
///
/// # Errors
/// [`FileError`] when that is not possible.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    create_folder(path).map_err(|e| FileError::new("create", path, e))
}

pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The file behind symbolic links; it need not exist yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            Ok(link) => resolve(&folder_of(path).join(link)),
            Err(_) => Ok(path.to_owned()),
        },
        other => other,
    }
}

/// A synced temporary file beside `target`, with the mode and the owner of the one it will replace.
fn draft(target: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let replaced = match fs::metadata(target) {
        Ok(metadata) => must_be_regular(&metadata).map(|()| Some(metadata))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let folder = folder_of(target);
    create_folder(folder)?;
    // Made and written through std, whose errors don't name the draft: nobody knows its path.
    let mut draft =
        tempfile::Builder::new().prefix(DRAFT_START).suffix(DRAFT_END).make_in(folder, |path| {
            File::options().write(true).create_new(true).mode(0o600).open(path)
        })?;
    if let Some(replaced) = replaced {
        look_like(draft.as_file(), &replaced)?;
    }
    draft.as_file_mut().write_all(bytes)?;
    draft.as_file().sync_data()?;
    Ok(draft)
}

fn look_like(draft: &File, replaced: &fs::Metadata) -> io::Result<()> {
    let own = draft.metadata()?;
    if (own.uid(), own.gid()) != (replaced.uid(), replaced.gid()) {
        // Only root may give files away; for others the file becomes theirs, as with any editor.
        let _ = fchown(draft, Some(replaced.uid()), Some(replaced.gid()));
    }
    // What everybody may write is nobody's; the agent may not make such a file, either.
    draft.set_permissions(Permissions::from_mode(replaced.mode() & 0o7775))
}

fn must_be_regular(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let found = if metadata.is_dir() { "a folder" } else { "not a regular file" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {found}")))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
