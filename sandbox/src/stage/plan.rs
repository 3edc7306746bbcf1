//! What the launcher is told to do, and how it is told.
//!
//! The plan goes through stdin, ahead of the skill's own input: arguments and environment of a process can
//! be read by others, and the skill would see those of its process 1. It is written once for each stage, and
//! each stage takes its copy from the pipe without reading a byte further.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, RawFd};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Lent, Level, Limits};

/// The largest plan that is read: settings and parameters are bounded long before this.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How often the router writes the plan: one copy for each stage.
pub(super) const COPIES: usize = 2;

/// Everything that the stages need to know about one job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// How the skill is held in.
    pub level: Level,
    /// The words that no skill knows: a stage's own report on stderr begins with them.
    pub token: String,
    /// The end of a pipe that closes when the router is gone.
    pub alive: RawFd,
    /// The arguments that start the second stage.
    pub again: Vec<String>,
    /// The skill's folder on the host.
    pub folder: PathBuf,
    /// The folders that it is lent.
    pub lent: Vec<Lent>,
    /// The router's own binary on the host, when the skill is compiled into it.
    pub exe: Option<PathBuf>,
    /// The scratch directory on the host, where it can't be a file system of its own.
    pub scratch: Option<PathBuf>,
    /// The proxy's socket on the host.
    pub net: Option<PathBuf>,
    /// The program and its arguments as seen from inside; empty to only try the sandbox.
    pub program: Vec<String>,
    /// The whole environment of the skill.
    pub env: Vec<(String, String)>,
    /// Its bounds.
    pub limits: Limits,
    /// Seconds of processor time that one process may use, or no bound for one that stays.
    pub cpu_seconds: Option<u64>,
}

impl Plan {
    /// The bytes to write ahead of the skill's input: a copy for each stage.
    ///
    /// # Errors
    /// When a path is no UTF-8, or the plan is too large.
    pub(crate) fn head(&self) -> io::Result<Vec<u8>> {
        Ok(self.copy()?.repeat(COPIES))
    }

    /// The copy of one stage.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn copy(&self) -> io::Result<Vec<u8>> {
        let json = serde_json::to_vec(self)?;
        if json.len() > MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the plan is too large"));
        }
        let length = u32::try_from(json.len()).map_err(io::Error::other)?;
        Ok([&length.to_le_bytes()[..], &json].concat())
    }

    /// Takes one copy from stdin and leaves what follows.
    ///
    /// # Errors
    /// When stdin does not begin with a plan.
    pub(crate) fn from_stdin() -> io::Result<Self> {
        // `io::stdin()` reads ahead; a plain file does not.
        Self::read(&mut File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }

    fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut length = [0; 4];
        source.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no plan"));
        }
        let mut json = vec![0; length];
        source.read_exact(&mut json)?;
        Ok(serde_json::from_slice(&json)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            level: Level::Namespaces,
            token: "t".to_owned(),
            alive: 7,
            again: vec!["launch".to_owned()],
            folder: PathBuf::from("/s"),
            lent: Vec::new(),
            exe: None,
            scratch: None,
            net: None,
            program: vec!["/skill/run".to_owned()],
            env: vec![("A".to_owned(), "b".to_owned())],
            limits: Limits::default(),
            cpu_seconds: None,
        }
    }

    #[test]
    fn each_stage_takes_one_copy_and_the_input_stays() {
        let bytes = [plan().head().unwrap(), b"input".to_vec()].concat();
        let mut rest = &bytes[..];
        for _ in 0..COPIES {
            assert_eq!(Plan::read(&mut rest).unwrap().program, ["/skill/run"]);
        }
        assert_eq!(rest, b"input");
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        for bytes in [&b""[..], b"{}", b"\xff\xff\xff\xff{}", b"\x02\0\0\0{}", b"\x09\0\0\0{}"] {
            assert!(Plan::read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
    }
}
