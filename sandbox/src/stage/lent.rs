//! The folders of the host that a skill is lent: root finds them before it steps down, and they are shown inside.
//!
//! Root can't write as itself in a sandbox (the kernel holds root to no number of processes), and the user that it
//! becomes owns nothing. So the folder is shown with its owner mapped to that user: what the skill writes belongs to the
//! folder's owner on the disk. Where a file system can't do that, the skill runs as the folder's owner, unless that is
//! root.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::fcntl::{AT_FDCWD, FcntlArg, OFlag, OpenHow, ResolveFlag, fcntl, openat2};

use super::failure::{Failure, Trying};
use super::identity::{NOBODY, User};
use super::plan::Plan;
use super::{bind, detached, git, owners};
use crate::shelf::reachable;
use crate::{Lent, Level, NotStarted};

/// The number of the first descriptor that hands a folder on to the second stage.
const FIRST: RawFd = 200;

/// Takes the folders for the user that root becomes, and says who that is.
pub(super) fn take(plan: &Plan) -> Result<User, Failure> {
    let mut users = vec![NOBODY];
    let mut first_refusal = None;
    for lent in &plan.lent {
        let owner = owner(&find(&lent.path)?).trying("see whose the folder is")?;
        if owner.uid != 0 && !users.contains(&owner) {
            users.push(owner);
        }
    }
    for user in users {
        match plan.lent.iter().map(|lent| given(plan, lent, user)).collect::<Result<Vec<_>, _>>() {
            Ok(mounts) => return hand_on(&mounts).map(|()| user),
            Err(refusal) => first_refusal = first_refusal.or(Some(refusal)),
        }
    }
    first_refusal.map_or(Ok(NOBODY), Err)
}

/// The folder as `user` may use it; without namespaces only the right to.
fn given(plan: &Plan, lent: &Lent, user: User) -> Result<Option<OwnedFd>, Failure> {
    let folder = find(&lent.path)?;
    let owner = owner(&folder).trying("see whose the folder is")?;
    if plan.level != Level::Namespaces {
        let may = owner.uid == user.uid || (!lent.write && is_open(&folder));
        return if may && reachable(&lent.path) { Ok(None) } else { Err(out_of_reach(lent)) };
    }
    let mount = detached::of(folder.as_fd()).trying("take the folder")?;
    let mut set = detached::NO_SUID | detached::NO_DEVICES;
    if !lent.write {
        set |= detached::READ_ONLY;
    }
    let changed = match owner == user {
        true => detached::change(&mount, set, None),
        false => owners::mapped(plan, owner, user)
            .and_then(|owners| detached::change(&mount, set, Some(&owners))),
    };
    match changed {
        Ok(()) => Ok(Some(mount)),
        // Then it reads what everybody may read.
        Err(_) if !lent.write && is_open(&folder) => {
            detached::change(&mount, set, None).trying("lock the folder")?;
            Ok(Some(mount))
        }
        Err(error) => Err(not_mapped(lent, &error)),
    }
}

/// Leaves the folders open for the second stage, under numbers that it knows.
fn hand_on(mounts: &[Option<OwnedFd>]) -> Result<(), Failure> {
    for (number, mount) in (FIRST..).zip(mounts.iter().flatten()) {
        let given = fcntl(mount, FcntlArg::F_DUPFD(number)).trying("hand on the folder")?;
        if given != number {
            return Err(io::Error::other("its number is taken")).trying("hand on the folder");
        }
    }
    Ok(())
}

/// Whether the first stage took the folders: it has closed whatever else was open.
pub(super) fn are_handed_on() -> bool {
    fs::symlink_metadata(format!("/proc/self/fd/{FIRST}")).is_ok()
}

/// Shows the folders in the place that is being built, where `old` is the host's root.
pub(super) fn show(plan: &Plan, handed_on: bool, old: &str) -> Result<(), Failure> {
    for (number, lent) in (FIRST..).zip(&plan.lent) {
        let target = lent.seen_at(plan.level);
        let step = format!("show {}", target.display());
        if handed_on {
            let attached =
                fs::create_dir_all(&target).and_then(|()| detached::attach(number, &target));
            // The skill must not find it open.
            nix::unistd::close(number).trying(step.as_str())?;
            attached.trying(step.as_str())?;
        } else {
            let host = Path::new(old).join(lent.path.strip_prefix("/").unwrap_or(&lent.path));
            let folder = find(&host)?;
            let source = format!("/proc/self/fd/{}", folder.as_raw_fd());
            let shown = bind::bind_locked(&source, &target.display().to_string(), lent.write);
            shown.trying(step.as_str())?;
        }
        for hidden in &lent.hidden {
            bind::hide(hidden).trying(format!("hide {}", hidden.display()))?;
        }
        if lent.write {
            git::lock(&target).trying(format!("lock the hooks in {}", target.display()))?;
        }
    }
    Ok(())
}

/// The folder itself, and never what a link on the way would lead to.
pub(super) fn find(path: &Path) -> Result<File, Failure> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let how = OpenHow::new().flags(flags).resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    let found = openat2(AT_FDCWD, path, how).map_err(io::Error::from);
    found.map(File::from).trying(format!("enter the folder {}", path.display()))
}

fn owner(folder: &File) -> io::Result<User> {
    let facts = folder.metadata()?;
    Ok(User { uid: facts.uid(), gid: facts.gid() })
}

fn is_open(folder: &File) -> bool {
    folder.metadata().is_ok_and(|facts| facts.mode() & 0o005 == 0o005)
}

fn not_mapped(lent: &Lent, error: &io::Error) -> Failure {
    let path = lent.path.display();
    NotStarted::new(
        format!("{path} belongs to root, whom no skill may be, and its file system can't show it as another's ({error})"),
        format!("run the router as an ordinary user, or give the folder to one (chown -R USER {path})"),
    )
    .into()
}

fn out_of_reach(lent: &Lent) -> Failure {
    let path = lent.path.display();
    NotStarted::new(
        format!("the user who runs skills for root can't use {path}, and this machine allows no namespaces"),
        format!("run the router as the owner of {path}"),
    )
    .into()
}
