//! The tables of system calls that the filters refuse, by why.

/// Refused to every skill.
#[rustfmt::skip]
pub(super) const ALWAYS: &[i64] = &[
    // other file systems and namespaces
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_move_mount,
    libc::SYS_open_tree, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick,
    libc::SYS_mount_setattr, OPEN_TREE_ATTR, libc::SYS_unshare, libc::SYS_setns,
    libc::SYS_open_by_handle_at, libc::SYS_name_to_handle_at,
    // other processes
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise,
    libc::SYS_kcmp, libc::SYS_pidfd_getfd,
    // the keys of whoever started the router
    libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key,
    // large parts of the kernel that ordinary programs do without
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_fanotify_init,
    libc::SYS_vmsplice, libc::SYS_migrate_pages, libc::SYS_move_pages, libc::SYS_mbind,
    libc::SYS_set_mempolicy, libc::SYS_lookup_dcookie, libc::SYS_nfsservctl, libc::SYS_personality,
    // the machine
    libc::SYS_kexec_load, libc::SYS_kexec_file_load, libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module,
    libc::SYS_reboot, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct, libc::SYS_quotactl,
    libc::SYS_quotactl_fd, libc::SYS_syslog, libc::SYS_settimeofday, libc::SYS_clock_settime,
    libc::SYS_clock_adjtime, libc::SYS_adjtimex, libc::SYS_sethostname, libc::SYS_setdomainname,
    libc::SYS_vhangup,
    // memory that no limit counts
    libc::SYS_shmget, libc::SYS_shmat, libc::SYS_shmctl, libc::SYS_msgget, libc::SYS_msgsnd,
    libc::SYS_msgrcv, libc::SYS_msgctl, libc::SYS_semget, libc::SYS_semop, libc::SYS_semtimedop,
    libc::SYS_semctl, libc::SYS_mq_open, libc::SYS_memfd_secret, libc::SYS_remap_file_pages,
];

/// Answered as if the kernel had none, because programs then take the older way, which a filter can judge
/// (`clone3` hides its flags in memory) or a limit can count.
pub(super) const AS_IF_MISSING: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Refused where only the process group holds a skill's processes together.
pub(super) const LEAVING_THE_GROUP: &[i64] = &[libc::SYS_setsid, libc::SYS_setpgid];

/// Refused where the host's files are in sight: changes to a file that Landlock does not judge, and which an
/// owner may make without opening it. `truncate` is judged by newer kernels only.
#[rustfmt::skip]
pub(super) const CHANGING_FILES: &[i64] = &[
    libc::SYS_fchmod, libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_utimensat, libc::SYS_truncate, libc::SYS_inotify_add_watch,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, SETXATTRAT,
    libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr, REMOVEXATTRAT, FILE_SETATTR,
];

/// The older ways to the same, which only this machine's table has.
#[cfg(target_arch = "x86_64")]
pub(super) const CHANGING_FILES_ONCE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];

/// This machine's table has no older ways.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const CHANGING_FILES_ONCE: &[i64] = &[];

/// Refused where the owner's other processes are in sight.
pub(super) const HINDERING_OTHERS: &[i64] = &[
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
];

/// Refused where signals would reach the owner's other processes.
pub(super) const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

// Newer than what the libc crate knows for every machine; such numbers are the same on every machine.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;
