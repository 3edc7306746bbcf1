//! A process group that dies with the value that stands for it.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The group of a launcher. Dropping it kills the launcher and with it everything that the skill started:
/// in namespaces because process 1 goes with the launcher, otherwise because nothing can leave the group.
#[derive(Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// The group whose leader has this process id.
    pub(super) fn of(leader: u32) -> Option<Self> {
        // A 0 would mean the router's own group.
        i32::try_from(leader).ok().filter(|id| *id > 1).map(|id| Self(Pid::from_raw(id)))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An empty group is what is wanted.
        let _ = killpg(self.0, Signal::SIGKILL);
    }
}
