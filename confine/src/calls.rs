//! seccomp: the system calls that an agent never makes, but whoever has taken it over would.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter, sock_filter,
};

use super::UnixSockets;

/// Refused whatever they are called with.
#[rustfmt::skip]
const NEVER: &[i64] = &[
    // new programs
    libc::SYS_execve, libc::SYS_execveat,
    // other processes
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise,
    libc::SYS_kcmp, libc::SYS_pidfd_getfd,
    // other file systems and namespaces
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_move_mount,
    libc::SYS_open_tree, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick,
    libc::SYS_mount_setattr, OPEN_TREE_ATTR, libc::SYS_unshare, libc::SYS_setns,
    libc::SYS_open_by_handle_at, libc::SYS_name_to_handle_at,
    // whose a file is and who may use it, by its name: Landlock lets these through
    libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr,
    libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr,
    SETXATTRAT, REMOVEXATTRAT, FILE_SETATTR,
    // the user's keys
    libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key,
    // large parts of the kernel that were attacked before
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register,
    // the machine
    libc::SYS_kexec_load, libc::SYS_kexec_file_load, libc::SYS_init_module, libc::SYS_finit_module,
    libc::SYS_delete_module, libc::SYS_reboot, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct,
];

/// The same by the names that only the older machines have.
#[cfg(target_arch = "x86_64")]
const NEVER_OLD: &[i64] = &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_OLD: &[i64] = &[];

// Newer than what the libc crate knows for every machine; such numbers are the same on every machine.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;

/// The flags of `clone` that make a namespace.
const NEW_NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The bits by which a program runs as its owner or group.
const SET_IDS: u64 = 0o6000;

/// The bit by which everybody may write.
const EVERYBODY_WRITES: u64 = 0o002;

/// The first number of the x32 calls, a second way to every call on x86-64 (and no number elsewhere).
const X32: u32 = 0x4000_0000;

/// Refuses them to this thread and all that it starts, and new privileges as well, which the kernel demands.
pub(super) fn refuse(unix: UnixSockets) -> Result<(), String> {
    rustix::thread::set_no_new_privs(true).map_err(|error| error.to_string())?;
    let said = |error: BackendError| error.to_string();
    for program in [second_table(), missing().map_err(said)?, filter(unix).map_err(said)?] {
        apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn filter(unix: UnixSockets) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        NEVER.iter().chain(NEVER_OLD).map(|call| (*call, Vec::new())).collect();
    // A file that is replaced keeps its mode, which the new one is given while it is open; no more than that. What can be
    // read is open as well, and must not be given away: for root that is much.
    let given = [0o2000, 0o4000, SET_IDS].map(|bits| masked(1, SET_IDS, bits));
    let given = given.into_iter().chain([masked(1, EVERYBODY_WRITES, EVERYBODY_WRITES)]);
    rules.insert(libc::SYS_fchmod, given.collect::<Result<_, _>>()?);
    let namespaces = NEW_NAMESPACES.map(|flag| {
        let flag = flag.unsigned_abs().into();
        masked(0, flag, flag)
    });
    rules.insert(libc::SYS_clone, namespaces.into_iter().collect::<Result<_, _>>()?);
    // What types into the terminal types into the shell that has started the agent.
    rules.insert(libc::SYS_ioctl, vec![one(1, libc::TIOCSTI)?, one(1, libc::TIOCLINUX)?]);
    if unix == UnixSockets::Refused {
        rules.insert(libc::SYS_socket, vec![one(0, libc::AF_UNIX.unsigned_abs().into())?]);
    }
    program(rules, libc::EPERM)
}

/// `clone3` hides its flags in memory. Where the kernel has none, threads are made by `clone`, which a filter can judge.
fn missing() -> Result<BpfProgram, BackendError> {
    program(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}

/// Answers the calls that `rules` mean with the error `with`.
fn program(rules: BTreeMap<i64, Vec<SeccompRule>>, with: i32) -> Result<BpfProgram, BackendError> {
    let refused = SeccompAction::Errno(with.unsigned_abs());
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()
}

/// Means a call with this value; the kernel looks at the lower half of these arguments only.
fn one(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    let (half, equal) = (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq);
    SeccompRule::new(vec![SeccompCondition::new(argument, half, equal, value)?])
}

/// Means a call whose argument has this value under a mask.
fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompRule, BackendError> {
    let (half, equal) = (SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask));
    SeccompRule::new(vec![SeccompCondition::new(argument, half, equal, value)?])
}

/// Refuses every number of the x32 table, which the other filter does not know.
fn second_table() -> BpfProgram {
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    vec![
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0), // the call's number
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refuse),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_types, reason = "that no program starts is what is tried")]

    use std::io::ErrorKind::{self, PermissionDenied};
    use std::net::UdpSocket;
    use std::os::unix::net::{UnixDatagram, UnixStream};
    use std::process::Command;

    use super::*;

    /// Whether a program starts, and a Unix socket opens, where this is refused: in a thread of its own.
    fn tried(unix: UnixSockets) -> [Result<(), ErrorKind>; 2] {
        let tried = std::thread::spawn(move || {
            refuse(unix).unwrap();
            UdpSocket::bind("127.0.0.1:0").unwrap();
            UnixStream::pair().unwrap();
            let program = Command::new("/bin/true").status().map(drop);
            [program, UnixDatagram::unbound().map(drop)].map(|tried| tried.map_err(|e| e.kind()))
        });
        tried.join().unwrap()
    }

    #[test]
    fn no_program_starts_and_unix_sockets_open_only_where_they_are_needed() {
        assert_eq!(tried(UnixSockets::Refused), [Err(PermissionDenied), Err(PermissionDenied)]);
        assert_eq!(tried(UnixSockets::Allowed), [Err(PermissionDenied), Ok(())]);
        assert!(Command::new("/bin/true").status().is_ok(), "other threads are held, too");
    }

    /// Landlock knows nothing of these.
    #[test]
    fn nothing_changes_who_may_use_a_file() {
        use std::os::unix::fs::{PermissionsExt, lchown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "x").unwrap();
        let tried = std::thread::spawn(move || {
            refuse(UnixSockets::Refused).unwrap();
            let file = std::fs::File::open(&path).unwrap();
            let mode = |mode| std::fs::Permissions::from_mode(mode);
            let flags = rustix::fs::XattrFlags::empty();
            let attribute = rustix::fs::fsetxattr(&file, "user.x", b"", flags);
            [
                std::fs::set_permissions(&path, mode(0o666)),
                lchown(&path, Some(12_345), None),
                file.set_permissions(mode(0o4755)),
                attribute.map_err(Into::into),
                file.set_permissions(mode(0o666)),
                file.set_permissions(mode(0o640)),
            ]
            .map(|tried| tried.map_err(|error| error.kind()))
        });
        let refused = Err(PermissionDenied);
        assert_eq!(tried.join().unwrap(), [refused, refused, refused, refused, refused, Ok(())]);
    }

    #[expect(unsafe_code, reason = "no safe crate makes these calls so")]
    fn answered(call: i64, first: u64) -> i32 {
        // Without pointers: what the kernel would read is not there.
        let done = unsafe { libc::syscall(call, first, 0, 0, 0, 0, 0) };
        if done < 0 { std::io::Error::last_os_error().raw_os_error().unwrap() } else { 0 }
    }

    #[test]
    fn namespaces_are_refused_by_every_call_that_makes_them_and_threads_are_made_all_the_same() {
        let tried = std::thread::spawn(|| {
            refuse(UnixSockets::Refused).unwrap();
            let user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
            std::thread::spawn(|| {}).join().unwrap();
            [(libc::SYS_clone, user), (libc::SYS_clone3, 0), (SETXATTRAT, 0), (FILE_SETATTR, 0)]
                .map(|(call, first)| answered(call, first))
        });
        assert_eq!(tried.join().unwrap(), [libc::EPERM, libc::ENOSYS, libc::EPERM, libc::EPERM]);
    }

    /// Without seccomp nothing else stands between these calls and their effect, least of all for root.
    #[test]
    fn another_root_folder_is_refused_to_root_as_well() {
        let tried = std::thread::spawn(|| {
            refuse(UnixSockets::Refused).unwrap();
            std::os::unix::fs::chroot("/").map_err(|error| error.kind())
        });
        assert_eq!(tried.join().unwrap(), Err(PermissionDenied));
    }
}
