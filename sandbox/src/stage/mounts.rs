//! The file system that a skill sees: the system's programs, its own folder, a scratch directory, and
//! nothing of the people whose machine it is.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{chdir, pivot_root};

use super::bind::{bind, bind_read_only, lock_read_only};
use super::failure::{Failure, Trying};
use super::identity::INSIDE;
use super::lent;
use super::plan::Plan;
use super::system::{PROGRAMS, SETTINGS, SINKS, ZERO};

/// Where the host's files are while the place is built.
const OLD: &str = "/.old";

const LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
    ("work", "/tmp"),
];

/// How many bytes of a scratch directory stand for one file: an empty file costs kernel memory, too. 16 MiB hold 8,192.
const BYTES_A_FILE: u64 = 2048;

/// Builds the place and leaves the host's file system for good.
pub(super) fn build(plan: &Plan) -> Result<(), Failure> {
    let handed_on = lent::are_handed_on();
    unshare(CloneFlags::CLONE_NEWNS).trying("make a mount namespace")?;
    leave_the_host().trying("leave the host's file system")?;
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    file_system("proc", "/proc", quiet, "").trying("mount /proc")?;
    for path in PROGRAMS.iter().chain(&SETTINGS) {
        mirror(path).trying(format!("show {path}"))?;
    }
    files().trying("write the files of /etc")?;
    devices().trying("make /dev")?;
    scratch(plan.limits.scratch_bytes).trying("make the scratch")?;
    bind_read_only(&old(&plan.folder), "/skill").trying("show the skill's folder")?;
    if let Some(exe) = &plan.exe {
        bind_read_only(&old(exe), "/router").trying("show the router's binary")?;
    }
    lent::show(plan, handed_on, OLD)?;
    umount2(OLD, MntFlags::MNT_DETACH).trying("let go of the host's file system")?;
    fs::remove_dir(OLD).trying("let go of the host's file system")?;
    lock_read_only("/").trying("lock the place")
}

/// The place of a host's path while the place is built.
fn old(path: &Path) -> String {
    format!("{OLD}{}", path.display())
}

/// Puts an empty root in the place of the host's, and the host's below it.
fn leave_the_host() -> io::Result<()> {
    let base = "/proc"; // any directory that is there everywhere
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>)?;
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    file_system("tmpfs", base, quiet, "size=1m,nr_inodes=256,mode=0755")?;
    fs::create_dir(format!("{base}{OLD}"))?;
    pivot_root(base, format!("{base}{OLD}").as_str())?;
    Ok(chdir("/")?)
}

fn file_system(kind: &str, target: &str, flags: MsFlags, options: &str) -> io::Result<()> {
    fs::create_dir_all(target)?;
    Ok(mount(Some(kind), target, Some(kind), flags, Some(options))?)
}

/// Shows a path of the host at the same place: a link as a link, anything else read-only, nothing as nothing.
fn mirror(path: &str) -> io::Result<()> {
    let source = old(Path::new(path));
    let Ok(found) = fs::symlink_metadata(&source) else { return Ok(()) };
    if !found.is_symlink() {
        return bind_read_only(&source, path);
    }
    if let Some(parent) = Path::new(path).parent() {
        fs::create_dir_all(parent)?;
    }
    symlink(fs::read_link(&source)?, path)
}

fn files() -> io::Result<()> {
    fs::create_dir_all("/etc")?;
    let user = format!("skill:x:{INSIDE}:{INSIDE}::/work:/bin/sh\n");
    fs::write("/etc/passwd", user)?;
    fs::write("/etc/group", format!("skill:x:{INSIDE}:\n"))?;
    fs::write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")?;
    fs::write("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
}

fn devices() -> io::Result<()> {
    fs::create_dir_all("/dev")?;
    for device in SINKS.into_iter().chain([ZERO]) {
        bind(&old(Path::new(device)), device)?;
    }
    for (target, link) in LINKS {
        symlink(target, link)?;
    }
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    file_system("tmpfs", "/dev/shm", quiet, "size=1m,nr_inodes=256,mode=0700")
}

fn scratch(bytes: u64) -> io::Result<()> {
    let options = format!("size={bytes},nr_inodes={},mode=0700", bytes / BYTES_A_FILE);
    file_system("tmpfs", "/work", MsFlags::MS_NOSUID | MsFlags::MS_NODEV, &options)
}
