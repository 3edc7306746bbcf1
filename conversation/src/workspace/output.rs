//! Opens generated files without being led out of their folder.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use document::SaveError;
use protocol::Reads;
use rustix::fs::{Mode, OFlags};

use super::SessionFiles;

/// Why a file below `output/` is not read.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The path leads elsewhere.
    #[error(
        "{0:?} is not below the workspace's output folder; give a path such as output/page.txt"
    )]
    Outside(String),
    /// A part of the path is a symbolic link, which may lead anywhere, or a file where a folder should be.
    #[error(
        "{0:?} leads through something that is no folder, such as a symbolic link, which is not followed"
    )]
    Link(String),
    /// There is no such file.
    #[error("there is no file {0:?} in the workspace's output folder")]
    Missing(String),
    /// It is a folder, a pipe or the like.
    #[error("{0:?} is no regular file")]
    NotAFile(String),
    /// The system refuses.
    #[error("{path:?} can't be read")]
    Read {
        /// The path as it was given.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// The beginning of a generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputText {
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// The size of the whole file in bytes.
    pub size: u64,
}

impl SessionFiles {
    /// Reads at most `limit` bytes of a file below `output/`.
    ///
    /// `path` is relative to the files' folder or to `output/`, or absolute and inside it. Every part is
    /// opened from the one before it and none may be a link, so that nobody can swap a part meanwhile.
    ///
    /// # Errors
    /// [`OutputError`] says what the path should be.
    pub fn read_output(&self, path: &str, limit: u64) -> Result<OutputText, OutputError> {
        let (bytes, size) = self.read_output_bytes(path, limit)?;
        Ok(OutputText { text: String::from_utf8_lossy(&bytes).into_owned(), size })
    }

    /// The same as bytes, with the size of the whole file.
    ///
    /// # Errors
    /// As for [`Self::read_output`].
    pub fn read_output_bytes(&self, path: &str, limit: u64) -> Result<(Vec<u8>, u64), OutputError> {
        let inside = self.below_output(path)?;
        let failed = |source| reason(path, source);
        let mut at = open(rustix::fs::CWD, self.folder(), OFlags::DIRECTORY).map_err(failed)?;
        let parts: Vec<&Path> = inside.iter().map(Path::new).collect();
        for (index, part) in parts.iter().enumerate() {
            let is_folder = index + 1 < parts.len();
            let kind = if is_folder { OFlags::DIRECTORY } else { OFlags::NONBLOCK };
            at = open(&at, part, kind | OFlags::NOFOLLOW).map_err(failed)?;
        }
        read(File::from(at), limit, path)
    }

    /// `path` below the files' folder, with nothing in it but names, the first being `output`.
    fn below_output(&self, path: &str) -> Result<PathBuf, OutputError> {
        let outside = || OutputError::Outside(path.chars().take(200).collect());
        let given = Path::new(path);
        let given = given.strip_prefix(self.folder()).unwrap_or(given);
        let mut below = PathBuf::new();
        for part in given.components() {
            match part {
                Component::Normal(name) => below.push(name),
                Component::CurDir => {}
                _ => return Err(outside()),
            }
        }
        let inside = Path::new("output").join(below.strip_prefix("output").unwrap_or(&below));
        if inside.components().count() < 2 || path.contains('\0') {
            Err(outside())
        } else {
            Ok(inside)
        }
    }
}

fn open(at: impl std::os::fd::AsFd, name: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(at, name, flags | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

fn reason(path: &str, errno: rustix::io::Errno) -> OutputError {
    let path: String = path.chars().take(200).collect();
    match errno {
        rustix::io::Errno::NOENT => OutputError::Missing(path),
        // With NOFOLLOW, a link is LOOP where a file is wanted and NOTDIR where a folder is.
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => OutputError::Link(path),
        other => OutputError::Read { path, source: other.into() },
    }
}

fn read(file: File, limit: u64, path: &str) -> Result<(Vec<u8>, u64), OutputError> {
    let failed = |source| OutputError::Read { path: path.to_owned(), source };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(OutputError::NotAFile(path.to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    Ok((bytes, metadata.len()))
}

impl SessionFiles {
    /// What a file below `output/` brings into a conversation that reads it.
    #[must_use]
    pub fn output_brings(&self, path: &str) -> Reads {
        let inside = self.below_output(path).ok();
        let name =
            inside.as_deref().and_then(|inside| inside.strip_prefix("output").ok()?.to_str());
        let known = self.outputs.read();
        name.and_then(|name| known.0.get(name).copied()).unwrap_or(Reads::BOTH)
    }

    /// Writes a file directly in `output/`, whole or not at all, which `brings` this into a conversation that reads it. A link of that name
    /// is replaced, not followed.
    ///
    /// # Errors
    /// [`SaveError`]; what stood there before still stands, if it was a file.
    pub fn write_output(&self, name: &str, bytes: &[u8], brings: Reads) -> Result<(), SaveError> {
        // What is private must at no time pass for what is not.
        let is_known = self.outputs.read().0.contains_key(name);
        if is_known {
            self.outputs.update(|known| known.0.retain(|other, _| other != name))?;
        }
        self.put_output(name, bytes)?;
        match brings {
            Reads::BOTH => Ok(()),
            brings => self.outputs.update(|known| known.0.extend([(name.to_owned(), brings)])),
        }
    }

    /// Removes a file directly in `output/`, if it is there. A link is removed itself.
    ///
    /// # Errors
    /// [`SaveError`] when it stays.
    pub fn remove_output(&self, name: &str) -> Result<(), SaveError> {
        let path = self.output_path(name)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(SaveError::from(home::FileError::new("remove", &path, error)))
            }
            _ => Ok(()),
        }
    }

    fn put_output(&self, name: &str, bytes: &[u8]) -> Result<(), SaveError> {
        let path = self.output_path(name)?;
        if path.is_symlink() {
            self.remove_output(name)?;
        }
        home::file::write(&path, bytes).map_err(SaveError::from)
    }

    /// Where a file directly in `output/` is written.
    fn output_path(&self, name: &str) -> Result<PathBuf, SaveError> {
        let (folder, path) = (self.output(), self.output().join(name));
        if folder.is_symlink() {
            let why =
                io::Error::other("the output folder is a symbolic link, which is not followed");
            return Err(SaveError::from(home::FileError::new("write", &path, why)));
        }
        Ok(path)
    }
}
