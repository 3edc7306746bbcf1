//! What the owner's command line and the router's window share: a file with the key of one life of the window.

use std::path::{Path, PathBuf};

use home::{FileError, file};
use loopback::Codes;
use protocol::Millis;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::address::Address;

/// What the key is for, so that no other use of it makes a code.
const USE: &str = "SafeClaw window 1";

/// The largest key file that is read, in bytes.
const MOST: u64 = 4_096;

/// The key of a window that is open. It is made anew whenever the window begins, and the file is gone when it ends.
#[derive(Clone, Serialize, Deserialize)]
pub struct KeyFile {
    /// Where the window listens.
    pub listen: Address,
    /// What codes are signed with: 244 random bits, in hexadecimal digits.
    secret: String,
}

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It holds something else.
    #[error("{} is not the window's key: {why}; restart the router, which writes it anew", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl KeyFile {
    /// A new key.
    #[must_use]
    pub fn new(listen: Address) -> Self {
        let halves = [Uuid::new_v4(), Uuid::new_v4()].map(|half| half.simple().to_string());
        Self { listen, secret: halves.concat() }
    }

    /// Where it stands in a router's folder for state.
    #[must_use]
    pub fn path(state: &Path) -> PathBuf {
        state.join("window.key")
    }

    /// Writes it, for its owner's eyes alone.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        // Two texts always have a JSON form.
        file::write(path, &serde_json::to_vec(self).unwrap_or_default())
    }

    /// The key of the window that is open, if one is.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn read(path: &Path) -> Result<Option<Self>, KeyError> {
        let Some(bytes) = file::read(path, MOST)? else { return Ok(None) };
        let broken = |error: serde_json::Error| KeyError::Broken {
            path: path.to_owned(),
            why: error.to_string(),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(broken)
    }

    /// A link that opens the window once, within ten minutes. The code stands behind `#`, which no browser sends anywhere.
    #[must_use]
    pub fn link(&self, now: Millis) -> String {
        format!("{}/#{}", self.listen.site(), self.codes().make(now))
    }

    pub(crate) fn codes(&self) -> Codes {
        Codes::new(USE, self.secret.as_bytes())
    }
}

impl std::fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyFile").field("listen", &self.listen).finish_non_exhaustive()
    }
}
