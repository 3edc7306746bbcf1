//! The file of the keys that commands and replies are signed with.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::sign::{Keys, KeysError};

/// The largest file that is read, in bytes: some hundred pairs.
const LIMIT: u64 = 64 * 1024;

/// A key file that can't be used. No message shows any of it.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// It can't be read.
    #[error("can't read {}, which SAFECLAW_KEY_FILE names: {source}; `{}` makes one", path.display(), home::router_command("keys new"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others than its owner can read or change it.
    #[error("{} holds keys, and others can read it (mode {mode:03o}); run: chmod 600 '{}'; if somebody may have read \
        it, make new ones with `{}`", path.display(), path.display(), home::router_command("keys new --rotate"))]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// What stands in it is no key, or half of one.
    #[error("{} is not a whole key file: {why}; copy it again from the other side, or make a new one with \
        `{}`", path.display(), home::router_command("keys new"))]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: KeysError,
    },
}

/// Reads the keys in the file at `path`.
///
/// # Errors
/// [`KeyFileError`] says what to do.
pub(super) fn read_keys(path: &Path) -> Result<Arc<Keys>, KeyFileError> {
    let unreadable = |source| KeyFileError::Unreadable { path: path.to_owned(), source };
    // Before it is opened, for opening a pipe waits for a writer.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")));
    }
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::Exposed { path: path.to_owned(), mode });
    }
    let mut bytes = Vec::new();
    file.take(LIMIT).read_to_end(&mut bytes).map_err(unreadable)?;
    // What is no text is no key either, and the line is told by what can be read before it.
    let keys = Keys::parse(&String::from_utf8_lossy(&bytes));
    keys.map(Arc::new).map_err(|why| KeyFileError::Broken { path: path.to_owned(), why })
}
