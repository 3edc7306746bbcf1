//! What one call of a skill may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The bounds of one call. The kernel holds all of them but `wall`, `output_bytes` and `log_bytes`, which
/// the router holds itself by killing what goes over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How long the call may take by the clock, the start of the process included.
    pub wall: Duration,
    /// How many bytes it may print on stdout: the whole of it, or one answer of a warm skill.
    pub output_bytes: usize,
    /// How many bytes of its stderr are kept; the rest is read and thrown away.
    pub log_bytes: usize,
    /// How many bytes of private memory each of its processes may have (`RLIMIT_DATA`: the address space
    /// as a whole is left alone, because node and WASM runtimes reserve far more than they use).
    pub memory: u64,
    /// How many processes and threads it may have at the same time.
    pub processes: u64,
    /// How many files one process may have open.
    pub files: u64,
    /// How many bytes it may write into its scratch directory.
    pub scratch_bytes: u64,
    /// How many bytes a file may have that it writes, wherever that lies.
    pub file_bytes: u64,
}

impl Default for Limits {
    /// 15 s, 256 KiB of output (the wire takes no more), 256 KiB of log, 1 GiB, 64 processes, 256 files,
    /// 16 MiB of scratch and for each file.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(15),
            output_bytes: 256 * 1024,
            log_bytes: 256 * 1024,
            memory: 1024 * 1024 * 1024,
            processes: 64,
            files: 256,
            scratch_bytes: 16 * 1024 * 1024,
            file_bytes: 16 * 1024 * 1024,
        }
    }
}
