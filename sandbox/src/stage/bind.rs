//! Shows a part of the host's file system at another place, and locks it against writing.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sys::statvfs::{FsFlags, statvfs};

/// The flags that a mount had on the host. In a user namespace they are locked, and a remount that does not
/// name them is refused.
const LOCKED: [(FsFlags, MsFlags); 7] = [
    (FsFlags::ST_RDONLY, MsFlags::MS_RDONLY),
    (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
    (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
    (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
    (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
    (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
    (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
];

/// An empty file of the place.
const NOTHING: &str = "/etc/.nothing";

/// Shows `source` at `target`, which is made if it is missing.
pub(super) fn bind(source: &str, target: &str) -> io::Result<()> {
    if fs::metadata(source)?.is_dir() {
        fs::create_dir_all(target)?;
    } else {
        if let Some(parent) = Path::new(target).parent() {
            fs::create_dir_all(parent)?;
        }
        File::create(target)?;
    }
    // With everything that is mounted below: the kernel lets nobody look beneath those mounts.
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    Ok(mount(Some(source), target, None::<&str>, flags, None::<&str>)?)
}

/// Shows `source` at `target` for reading only, and so everything that is mounted below it.
pub(super) fn bind_read_only(source: &str, target: &str) -> io::Result<()> {
    bind_locked(source, target, false)
}

/// Shows `source` at `target`, and everything that is mounted below it, without set-user-id programs and device files;
/// for writing only where `write` says so.
pub(super) fn bind_locked(source: &str, target: &str, write: bool) -> io::Result<()> {
    bind(source, target)?;
    let bits = if write { MsFlags::empty() } else { MsFlags::MS_RDONLY };
    lock(target, bits)?;
    for below in mounted_below(&fs::read_to_string("/proc/self/mountinfo")?, target) {
        match lock(&below, bits) {
            // What can't be reached can't be written to either.
            Err(error) if error.raw_os_error() == Some(Errno::EACCES as i32) => {}
            done => done?,
        }
    }
    Ok(())
}

/// Locks the mount at `target` against writing, set-user-id programs and device files.
pub(super) fn lock_read_only(target: &str) -> io::Result<()> {
    lock(target, MsFlags::MS_RDONLY)
}

/// Puts nothing in the place of the file or folder at `path`. Where a link leads stands for itself.
pub(super) fn hide(path: &Path) -> io::Result<()> {
    let target = path.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(found) if found.is_symlink() => Ok(()),
        Ok(found) if found.is_dir() => {
            let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
            let options = Some("size=4k,nr_inodes=2,mode=0555");
            Ok(mount(Some("tmpfs"), target, Some("tmpfs"), flags, options)?)
        }
        Ok(_) => {
            fs::write(NOTHING, "")?;
            bind_locked(NOTHING, target, false)
        }
    }
}

/// Makes the file or folder at `path` a mount of its own, without set-user-id programs and device files: nobody can
/// rename, remove or exchange it then. It can be written to only where `write` says so.
pub(super) fn lock_in_place(path: &Path, write: bool) -> io::Result<()> {
    mount(Some(path), path, None::<&str>, MsFlags::MS_BIND, None::<&str>)?;
    let target = path.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    lock(target, if write { MsFlags::empty() } else { MsFlags::MS_RDONLY })
}

fn lock(target: &str, bits: MsFlags) -> io::Result<()> {
    let had = statvfs(target)?.flags();
    let kept = LOCKED.iter().filter(|(flag, _)| had.contains(*flag)).map(|(_, flag)| *flag);
    let flags = MsFlags::MS_REMOUNT
        | MsFlags::MS_BIND
        | bits
        | MsFlags::MS_NOSUID
        | MsFlags::MS_NODEV
        | kept.collect();
    Ok(mount(None::<&str>, target, None::<&str>, flags, None::<&str>)?)
}

/// The mount points strictly below `target` in a mountinfo file (proc_pid_mountinfo(5), fifth field).
fn mounted_below(mountinfo: &str, target: &str) -> Vec<String> {
    let points = mountinfo.lines().filter_map(|line| line.split(' ').nth(4)).map(unescape);
    points
        .filter(|point| point.strip_prefix(target).is_some_and(|rest| rest.starts_with('/')))
        .collect()
}

/// Space, tab, line feed and backslash stand as `\` and three octal digits.
fn unescape(point: &str) -> String {
    [(r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")]
        .iter()
        .fold(point.to_owned(), |text, (code, character)| text.replace(code, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_below_a_place() {
        let mountinfo = "22 27 0:21 / /usr rw - ext4 /dev/vda rw\n\
                         23 22 0:22 / /usr/local rw - ext4 /dev/vdb rw\n\
                         24 22 0:23 / /usr/my\\040disk rw - ext4 /dev/vdc rw\n\
                         25 27 0:24 / /usrlocal rw - ext4 /dev/vdd rw\n";
        assert_eq!(mounted_below(mountinfo, "/usr"), ["/usr/local", "/usr/my disk"]);
    }
}
