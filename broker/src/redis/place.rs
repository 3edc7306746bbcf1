//! Where a queue is, as the settings of a process say.

use std::path::PathBuf;
use std::sync::Arc;

use protocol::sign::Keys;
use protocol::{DEFAULT_COMMAND_QUEUE, DEFAULT_RESPONSE_PREFIX, QueueNames};

use super::key_file::read_keys;
use super::link::Ca;
use super::{AddressError, KeyFileError, RedisAddress};

/// The Redis that agents and routers meet on, and the names of their keys there.
#[derive(Clone)]
pub struct QueuePlace {
    url: Option<String>,
    ca_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
    /// What the keys are called.
    pub names: QueueNames,
}

impl QueuePlace {
    /// The place that `REDIS_URL`, `REDIS_CA_FILE`, `SAFECLAW_KEY_FILE`, `COMMAND_QUEUE` and `RESPONSE_PREFIX` name;
    /// `get` gives their values.
    #[must_use]
    pub fn from_settings<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Self {
        let queue = get("COMMAND_QUEUE").unwrap_or(DEFAULT_COMMAND_QUEUE);
        let prefix = get("RESPONSE_PREFIX").unwrap_or(DEFAULT_RESPONSE_PREFIX);
        Self {
            url: get("REDIS_URL").map(str::to_owned),
            ca_file: get("REDIS_CA_FILE").map(PathBuf::from),
            key_file: get("SAFECLAW_KEY_FILE").map(PathBuf::from),
            names: QueueNames::new(queue, prefix),
        }
    }

    /// Whether anything says where it is.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.url.is_some()
    }

    /// What is signed with there; `None` when nothing is.
    ///
    /// # Errors
    /// [`KeyFileError`] when the file of `SAFECLAW_KEY_FILE` can't be used.
    pub fn keys(&self) -> Result<Option<Arc<Keys>>, KeyFileError> {
        self.key_file.as_deref().map(read_keys).transpose()
    }

    /// Where it is; `None` when nothing says so.
    ///
    /// # Errors
    /// [`AddressError`] when `REDIS_URL` or the file of `REDIS_CA_FILE` can't be read.
    pub fn address(&self) -> Result<Option<RedisAddress>, AddressError> {
        let Some(url) = &self.url else { return Ok(None) };
        let address = match &self.ca_file {
            Some(file) => RedisAddress::with_ca(url, Ca::read(file)?),
            None => RedisAddress::new(url),
        };
        address.map(Some)
    }
}

/// Shows no password.
impl std::fmt::Debug for QueuePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueuePlace").field("names", &self.names).finish_non_exhaustive()
    }
}
