//! A user namespace that says which owner of files on the disk is which user here, for mounts alone.
#![expect(clippy::disallowed_types, reason = "this is where the sandbox makes its processes")]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitCode, Stdio};

use nix::sched::{CloneFlags, unshare};

use super::identity::User;
use super::plan::Plan;

/// The argument of the launcher that means a process which only holds such a namespace.
pub(crate) const HOLD: &str = "hold";

/// How many users the kernel knows.
const ALL: u32 = u32::MAX;

/// The namespace in which what belongs to `owner` on the disk belongs to `user`, and the other way round; the others
/// stay who they are, where this process knows them.
///
/// # Errors
/// When no user namespace can be made, or root may not write its maps.
pub(super) fn mapped(plan: &Plan, owner: User, user: User) -> io::Result<OwnedFd> {
    let arguments = plan.again.iter().rev().skip(1).rev();
    let mut holder = Command::new("/proc/self/exe")
        .args(arguments)
        .arg(HOLD)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let made = namespace_of(&mut holder, owner, user);
    // It ends with its stdin, too.
    let _ = holder.kill();
    holder.wait()?;
    made
}

fn namespace_of(holder: &mut std::process::Child, owner: User, user: User) -> io::Result<OwnedFd> {
    let mut ready = [0];
    let stdout = holder.stdout.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    stdout.read_exact(&mut ready)?;
    let place = format!("/proc/{}", holder.id());
    for (map, from, to) in [("uid_map", owner.uid, user.uid), ("gid_map", owner.gid, user.gid)] {
        let path = format!("{place}/{map}");
        // A container's root does not know everybody.
        fs::write(&path, swapped(from, to))
            .or_else(|_| fs::write(&path, format!("{from} {to} 1")))?;
    }
    Ok(File::open(format!("{place}/ns/user"))?.into())
}

/// Is the process that holds the namespace, until its stdin ends.
pub(super) fn hold() -> io::Result<ExitCode> {
    unshare(CloneFlags::CLONE_NEWUSER)?;
    io::stdout().write_all(b".")?;
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(ExitCode::SUCCESS)
}

/// A map (user_namespaces(7)) that swaps two users and leaves the others.
fn swapped(one: u32, other: u32) -> String {
    let (low, high) = (one.min(other), one.max(other));
    let mut lines = vec![format!("{one} {other} 1")];
    if one != other {
        lines.push(format!("{other} {one} 1"));
    }
    for (first, end) in [(0, low), (low + 1, high), (high.saturating_add(1), ALL)] {
        if first < end {
            lines.push(format!("{first} {first} {}", end - first));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_swap_and_the_others_stay() {
        assert_eq!(swapped(0, 65_534), "0 65534 1\n65534 0 1\n1 1 65533\n65535 65535 4294901760");
        assert_eq!(swapped(7, 7), "7 7 1\n0 0 7\n8 8 4294967287");
    }
}
