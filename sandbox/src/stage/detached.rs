//! Mounts that hang nowhere yet: root takes a folder of the host before it steps down, and shows it inside later.
//!
//! The calls are of Linux 5.2 and 5.12 (mount_setattr(2)), and neither the standard library nor nix has them.
#![expect(unsafe_code, reason = "no safe crate of ours has these three calls")]

use std::ffi::{CString, c_int};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

// Of linux/mount.h, which the libc crate has for some machines alone.
const OPEN_TREE_CLONE: u32 = 1;
const OPEN_TREE_CLOEXEC: u32 = libc::O_CLOEXEC as u32;
const MOVE_MOUNT_F_EMPTY_PATH: u32 = 4;
const MOUNT_ATTR_IDMAP: u64 = 0x10_0000;

/// It can't be written to.
pub(super) const READ_ONLY: u64 = 1;
/// Set-user-id programs count as others.
pub(super) const NO_SUID: u64 = 2;
/// Device files can't be opened.
pub(super) const NO_DEVICES: u64 = 4;

/// `struct mount_attr` of linux/mount.h.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    owners: u64,
}

/// A mount of the folder that `folder` stands for, which ends with its descriptor unless it is attached.
///
/// # Errors
/// What the kernel answered.
pub(super) fn of(folder: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | libc::AT_EMPTY_PATH.unsigned_abs();
    // SAFETY: the path is a text that ends with NUL and outlives the call, which writes no memory.
    let made =
        unsafe { libc::syscall(libc::SYS_open_tree, folder.as_raw_fd(), c"".as_ptr(), flags) };
    let made = number(made)?;
    // SAFETY: the call has just made this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

/// Sets the attributes `set`, and shows the owners as the user namespace `owners` maps them.
///
/// # Errors
/// What the kernel answered: above all that the file system can't map owners.
pub(super) fn change(mount: &OwnedFd, set: u64, owners: Option<&OwnedFd>) -> io::Result<()> {
    let idmap = if owners.is_some() { MOUNT_ATTR_IDMAP } else { 0 };
    let attributes = Attributes {
        set: set | idmap,
        clear: 0,
        propagation: 0,
        owners: owners.map_or(0, |owners| u64::from(owners.as_raw_fd().unsigned_abs())),
    };
    // SAFETY: path and attributes outlive the call, the size is that of the attributes, and the call only reads.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    number(done).map(drop)
}

/// Hangs the mount of the descriptor `mount` at `target`.
///
/// # Errors
/// What the kernel answered.
pub(super) fn attach(mount: RawFd, target: &Path) -> io::Result<()> {
    let target = CString::new(target.as_os_str().as_bytes()).map_err(io::Error::other)?;
    // SAFETY: both paths outlive the call, which writes no memory; a number that is no mount is refused.
    let done = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount,
            c"".as_ptr(),
            libc::AT_FDCWD,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    number(done).map(drop)
}

fn number(answer: i64) -> io::Result<c_int> {
    if answer < 0 {
        Err(io::Error::last_os_error())
    } else {
        c_int::try_from(answer).map_err(io::Error::other)
    }
}
