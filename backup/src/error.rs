//! Why a backup was not made or not restored.

use std::io;
use std::path::PathBuf;

use home::{FileError, FormatError, LockError, command};

/// Why a backup was not made or not restored. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is something already where the backup was to be.
    #[error("{0} is there already, and nothing is overwritten: name another file")]
    Taken(PathBuf),
    /// There is nothing to back up.
    #[error("{0} holds nothing yet: name the home with --home")]
    Nothing(PathBuf),
    /// There are more files than a list holds.
    #[error(
        "the home holds {files} files, which is more than a backup can list (about 100,000): remove what is not needed from \
         workspace/output or router/skills; nothing was made"
    )]
    TooMany {
        /// How many.
        files: usize,
    },
    /// A folder of the home is a link, which may lead anywhere.
    #[error("{} is a link, which is not followed: put a folder in its place, or take it away; nothing was changed", .0.display())]
    Link(PathBuf),
    /// A file can't be read or written.
    #[error("{0}: {why}", why = why(.0))]
    File(#[from] FileError),
    /// This program does not work in the home.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Its home is of a newer format.
    #[error(
        "{} holds a home of format {found}, written by SafeClaw {by}, which is newer than this one: restore it with that one; \
         nothing was changed", path.display()
    )]
    NewerHome {
        /// The file.
        path: PathBuf,
        /// The format.
        found: u32,
        /// The version that wrote it.
        by: String,
    },
    /// A copy is not what it is a copy of.
    #[error(
        "the copy of the home did not prove itself: {why}; it was removed, and the home is as it was. Is the disk failing?"
    )]
    Unproved {
        /// What is wrong with it.
        why: String,
    },
    /// There is no way back, because nothing went forth.
    #[error("{} was never upgraded, so there is nothing to go back to; `{}` puts a backup back", .0.display(), command("restore FILE"))]
    NoUpgrade(PathBuf),
    /// The copy that an upgrade made is not there.
    #[error(
        "{} is gone, which held the home as it was before its upgrade: put the file back, or restore a backup with `{}`; nothing \
         was changed", .0.display(), command("restore FILE")
    )]
    NoCopy(PathBuf),
    /// Somebody works in the home.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// It is no backup, or a broken one.
    #[error("{} is no whole backup: {why}; nothing was changed", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A newer program has made it.
    #[error("{} was made by SafeClaw {by}, which writes a newer form: restore it with that one; nothing was changed", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version that made it.
        by: String,
    },
    /// It is encrypted, and no passphrase is given.
    #[error("{0} is encrypted: name the file that holds its passphrase with --passphrase-file")]
    NoPassphrase(PathBuf),
    /// The passphrase is not its own.
    #[error("the passphrase does not open {0}; nothing was changed")]
    WrongPassphrase(PathBuf),
    /// Its own encryption has failed.
    #[error("the backup can't be encrypted: {0}")]
    Encrypt(String),
}

impl BackupError {
    /// The same for `source`, met while `doing` something at `path`.
    pub(crate) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| FileError::new(doing, &path, source).into()
    }
}

/// The system's words.
fn why(error: &FileError) -> String {
    std::error::Error::source(error).map(ToString::to_string).unwrap_or_default()
}
