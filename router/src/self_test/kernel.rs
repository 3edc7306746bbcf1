//! Attacks on the kernel: its namespaces, powers and seldom used calls.

use std::io;

use nix::mount::{MsFlags, mount as mount_at};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::get_no_new_privs;
use nix::unistd::{Uid, setuid as become_user};

use super::attack::Answer;
use super::one_call::{Reached, call};
use super::target::Target;

/// No process, file or length that could be valid.
const NOTHING: [i64; 6] = [0; 6];

/// Within namespaces of its own, so that the host never sees it.
pub(super) fn mount(_: &Target) -> Answer {
    let mounted = || {
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
        mount_at(Some("tmpfs"), ".", Some("tmpfs"), MsFlags::empty(), None::<&str>)
    };
    mounted().map(|()| "mounted it".to_owned()).map_err(io::Error::from).into()
}

pub(super) fn user_namespace(_: &Target) -> Answer {
    let made = unshare(CloneFlags::CLONE_NEWUSER);
    made.map(|()| "made one".to_owned()).map_err(io::Error::from).into()
}

pub(super) fn setuid(_: &Target) -> Answer {
    become_user(Uid::from_raw(0)).map(|()| "became it".to_owned()).map_err(io::Error::from).into()
}

pub(super) fn raised(_: &Target) -> Answer {
    match get_no_new_privs() {
        Ok(false) => Answer::Got("nothing forbids it".to_owned()),
        Ok(true) => Answer::Refused("new powers are forbidden for good".to_owned()),
        Err(error) => Answer::Moot(error.to_string()),
    }
}

pub(super) fn keyring(_: &Target) -> Answer {
    // KEYCTL_GET_KEYRING_ID of KEY_SPEC_USER_KEYRING, made if it is missing.
    any(&[(libc::SYS_keyctl, [0, -4, 1, 0, 0, 0]), (libc::SYS_add_key, NOTHING)])
}

pub(super) fn bpf(_: &Target) -> Answer {
    any(&[(libc::SYS_bpf, [99, 0, 0, 0, 0, 0])])
}

pub(super) fn perf(_: &Target) -> Answer {
    any(&[(libc::SYS_perf_event_open, NOTHING)])
}

pub(super) fn modules(_: &Target) -> Answer {
    any(&[(libc::SYS_init_module, NOTHING), (libc::SYS_finit_module, [-1, 0, 0, 0, 0, 0])])
}

pub(super) fn clock(_: &Target) -> Answer {
    any(&[(libc::SYS_clock_settime, NOTHING), (libc::SYS_clock_adjtime, NOTHING)])
}

/// Makes each call with arguments that can't have an effect. A complaint about the arguments shows that the
/// call itself is open.
fn any(calls: &[(i64, [i64; 6])]) -> Answer {
    let mut refused = String::new();
    for (number, arguments) in calls {
        match call(*number, *arguments) {
            Ok(Reached::Error(error)) if shut(&error) => refused = error.to_string(),
            Ok(Reached::Error(error)) => {
                return Answer::Got(format!("the kernel takes it: {error}"));
            }
            Ok(Reached::Done) => return Answer::Got("the kernel does it".to_owned()),
            Err(error) => return Answer::Moot(error.to_string()),
        }
    }
    Answer::Refused(refused)
}

fn shut(error: &io::Error) -> bool {
    [libc::EPERM, libc::EACCES, libc::ENOSYS].map(Some).contains(&error.raw_os_error())
}
