//! The pipe by which whatever was started learns that the router has ended.

use std::io;
use std::os::fd::OwnedFd;

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::unistd::pipe2;

/// A pipe that every launcher watches: the router holds the only end that could write.
#[derive(Debug)]
pub(super) struct Alive {
    pub(super) watched: OwnedFd,
    _held: OwnedFd,
}

impl Alive {
    pub(super) fn new() -> io::Result<Self> {
        let (watched, held) = pipe2(OFlag::O_CLOEXEC)?;
        fcntl(&watched, FcntlArg::F_SETFD(FdFlag::empty()))?;
        Ok(Self { watched, _held: held })
    }
}
