//! The most that a manifest may ask for of the machine.

use serde::{Deserialize, Serialize};

use super::size;

/// `limits` of router/config.json.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitsConfig {
    /// The largest file that a skill may write.
    pub file: Size,
    /// The largest scratch directory.
    pub scratch: Size,
    /// The most private memory of one process.
    pub memory: Size,
    /// The most processes and threads of one call.
    pub processes: u64,
    /// The most files that one process may have open.
    pub files: u64,
}

impl Default for LimitsConfig {
    /// 4 GB for a file, 1 GB of scratch, 4 GB of memory, 1,024 processes, 4,096 open files: what a compiler and a
    /// database need on a small machine.
    fn default() -> Self {
        let gigabytes = |count: u64| Size(count << 30);
        Self {
            file: gigabytes(4),
            scratch: gigabytes(1),
            memory: gigabytes(4),
            processes: 1_024,
            files: 4_096,
        }
    }
}

/// A size, written `16MB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size(u64);

impl Size {
    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl TryFrom<String> for Size {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        size::read(&text).map(Self)
    }
}

impl From<Size> for String {
    fn from(size: Size) -> String {
        size::written(size.0)
    }
}
