//! Who a stage is: an unprivileged user outside, a user without a name of its own inside.

use std::fs;
use std::io;

use caps::{CapSet, Capability, CapsHashSet};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_dumpable;
use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, setresgid, setresuid};

use super::failure::{Failure, Trying};

/// Whom root becomes before it starts anything: the kernel does not hold root to a number of processes.
/// It is `nobody` on every Linux system, and mapped in every container.
pub const UNPRIVILEGED: u32 = 65534;

/// The user and group inside.
pub(super) const INSIDE: u32 = 1000;

/// A user, and their group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// Who owns nothing.
pub(super) const NOBODY: User = User { uid: UNPRIVILEGED, gid: UNPRIVILEGED };

/// Whether this process is a root that becomes somebody else.
pub(super) fn is_to_step_down() -> bool {
    geteuid().is_root() && knows("uid_map") && knows("gid_map")
}

/// Root gives up being root for good; anybody else stays who they are. Root of a namespace that knows no
/// other user (a container without subordinate ids) is nobody in particular outside, and stays, too.
pub(super) fn step_down(user: User) -> Result<(), Failure> {
    if !is_to_step_down() {
        return Ok(());
    }
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    setgroups(&[]).trying("drop root's groups")?;
    setresgid(gid, gid, gid).trying("drop root's group")?;
    setresuid(uid, uid, uid).trying("drop root's user")?;
    // The change of user made /proc/self root's, and with it the maps that are written next.
    set_dumpable(true).trying("own /proc/self")
}

/// Whether the user, or group, that root becomes exists in this namespace. A line of a map is the first id
/// inside, the first id outside, and their number; see user_namespaces(7).
fn knows(map: &str) -> bool {
    let Ok(map) = fs::read_to_string(format!("/proc/self/{map}")) else { return true };
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().filter_map(|number| number.parse::<u64>().ok());
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(first), Some(_), Some(count)) => {
                (first..first.saturating_add(count)).contains(&u64::from(UNPRIVILEGED))
            }
            _ => false,
        }
    })
}

/// Moves into namespaces of its own, but for the mounts, which the second stage takes for itself.
pub(super) fn enter_namespaces() -> Result<(), Failure> {
    let (uid, gid) = (geteuid(), getegid());
    unshare(
        CloneFlags::CLONE_NEWUSER
            | CloneFlags::CLONE_NEWPID
            | CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWIPC
            | CloneFlags::CLONE_NEWUTS,
    )
    .trying("make namespaces")?;
    // Old and small kernels have none; nothing inside can reach a cgroup file system anyway.
    let _ = unshare(CloneFlags::CLONE_NEWCGROUP);
    fs::write("/proc/self/setgroups", "deny").trying("give up groups")?;
    fs::write("/proc/self/uid_map", format!("{INSIDE} {uid} 1")).trying("map the user")?;
    fs::write("/proc/self/gid_map", format!("{INSIDE} {gid} 1")).trying("map the group")
}

/// Lets the second stage keep, over the namespaces alone, the two powers that it works with: mounting and
/// giving up powers. The user inside is not root, so they would be lost with its start.
pub(super) fn hand_on_powers() -> Result<(), Failure> {
    let powers = CapsHashSet::from([Capability::CAP_SYS_ADMIN, Capability::CAP_SETPCAP]);
    caps::set(None, CapSet::Inheritable, &powers)
        .and_then(|()| caps::set(None, CapSet::Ambient, &powers))
        .map_err(io::Error::other)
        .trying("hand on the powers over the namespaces")
}

/// Gives up every power, and with the bounding set the way to any. Without the power to give up powers
/// (nobody had any to begin with) the bounding set stays, and no_new_privs closes that way.
pub(super) fn give_up_powers() -> Result<(), Failure> {
    let may_bound = caps::has_cap(None, CapSet::Effective, Capability::CAP_SETPCAP);
    let mut sets = vec![CapSet::Ambient, CapSet::Inheritable, CapSet::Effective, CapSet::Permitted];
    if may_bound.map_err(io::Error::other).trying("read the powers")? {
        sets.insert(0, CapSet::Bounding);
    }
    for set in sets {
        caps::clear(None, set)
            .map_err(io::Error::other)
            .trying(format!("clear the {set:?} set"))?;
    }
    Ok(())
}
