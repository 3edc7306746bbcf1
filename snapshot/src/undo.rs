//! The way back.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, fchown, lchown, symlink};
use std::path::{Path, PathBuf};

use home::file;
use nix::unistd::geteuid;
use protocol::Millis;

use crate::beneath::Beneath;
use crate::inventory::{Form, Inventory, Item, Sighting, Sums};
use crate::snapshots::Snapshots;

/// The name under which a file is written before it takes its own.
const DRAFT: &str = ".safeclaw-undo";

/// What came of a way back. Paths are those in the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undone {
    /// The folder.
    pub folder: PathBuf,
    /// What is again as it was.
    pub restored: Vec<String>,
    /// What the task had made, and is gone.
    pub removed: Vec<String>,
    /// What was changed after the task's last command, and stays.
    pub kept: Vec<String>,
    /// What could not be brought back, each with its reason.
    pub failed: Vec<String>,
    /// What the snapshot has not looked at.
    pub left_out: Vec<String>,
    /// Where that lies which was put away; nothing when there was nothing to put away.
    pub aside: Option<PathBuf>,
}

impl Snapshots {
    /// Puts the folder back as it was before the latest task, and forgets the task. After a crash it goes on. Nothing happens
    /// when there is no task.
    ///
    /// # Errors
    /// The system's; then the snapshot is kept, and it can be tried again.
    pub fn undo(&self, now: Millis) -> io::Result<Option<Undone>> {
        let Some((at, head)) = self.latest(now)? else { return Ok(None) };
        let folder = Beneath::open(&head.folder)?;
        let before = self.inventory(at, "before")?;
        let after = self.inventory(at, "after").ok();
        let known = after.as_ref().unwrap_or(&before);
        let there = Inventory::look(&folder, known, self.bounds(), &mut Sums)?;
        // After a crash in the middle, what had been put back would look like the owner's.
        let kept: BTreeSet<String> = match self.read(at, "plan") {
            Ok(planned) => planned,
            Err(_) => changed_since(&before, after.as_ref(), &there),
        };
        self.write(at, "plan", &kept)?;
        let aside = self.aside(now);
        let mut way =
            Way { folder: &folder, blobs: self.blobs(), aside, undone: Undone::default() };
        way.go(&before, &there, &kept);
        let mut undone = way.undone;
        undone.folder = head.folder;
        undone.kept.extend(kept);
        let unseen: BTreeSet<_> = before.left_out.into_iter().chain(there.left_out).collect();
        undone.left_out.extend(unseen);
        if before.is_cut || there.is_cut {
            undone.left_out.push("more files than a snapshot holds".to_owned());
        }
        if undone.failed.is_empty() {
            self.forget(at)?;
        }
        Ok(Some(undone))
    }
}

/// What is another now than when the task's last command had ended, and than before the task.
fn changed_since(
    before: &Inventory,
    after: Option<&Inventory>,
    there: &Inventory,
) -> BTreeSet<String> {
    let Some(after) = after else { return BTreeSet::new() };
    let is_kept = |path: &&String| {
        let now = there.known(path);
        !is_same(now, before.known(path)) && !is_same(now, after.known(path))
    };
    paths(before, there).filter(is_kept).cloned().collect()
}

fn paths<'i>(
    one: &'i Inventory,
    other: &'i Inventory,
) -> impl DoubleEndedIterator<Item = &'i String> {
    let all: BTreeSet<_> = one.items.keys().chain(other.items.keys()).collect();
    all.into_iter()
}

/// Whether nothing tells the two apart; of what was not looked at nobody knows.
fn is_same(one: Sighting<'_>, other: Sighting<'_>) -> bool {
    match (one, other) {
        (Sighting::There(one), Sighting::There(other)) => one.is_like(other),
        (Sighting::Absent, Sighting::There(_)) | (Sighting::There(_), Sighting::Absent) => false,
        _ => true,
    }
}

struct Way<'w> {
    folder: &'w Beneath,
    blobs: PathBuf,
    aside: PathBuf,
    undone: Undone,
}

impl Way<'_> {
    fn go(&mut self, before: &Inventory, there: &Inventory, kept: &BTreeSet<String>) {
        let is_other = |path: &&String| {
            !kept.contains(*path) && !is_same(there.known(path), before.known(path))
        };
        let changed: Vec<_> = paths(before, there).filter(is_other).collect();
        // What lies in a folder goes before the folder.
        for path in changed.iter().rev() {
            let (Some(now), then) = (there.items.get(*path), before.items.get(*path)) else {
                continue;
            };
            if is_in_the_way(now, then) {
                match self.remove(Path::new(path), now) {
                    Ok(()) if then.is_none() => self.undone.removed.push((*path).clone()),
                    Ok(()) => {}
                    // Something stays in it.
                    Err(error)
                        if error.kind() == io::ErrorKind::DirectoryNotEmpty && then.is_none() => {}
                    Err(error) => self.undone.failed.push(format!("{path} ({error})")),
                }
            }
        }
        for path in changed {
            let Some(then) = before.items.get(path) else { continue };
            match self.restore(Path::new(path), then, there.items.get(path)) {
                Ok(()) => self.undone.restored.push(path.clone()),
                Err(error) => self.undone.failed.push(format!("{path} ({error})")),
            }
        }
        self.undone.removed.reverse();
    }

    fn remove(&mut self, path: &Path, now: &Item) -> io::Result<()> {
        let (parent, name) = self.folder.parent(path)?;
        if now.form == Form::Folder {
            return fs::remove_dir(parent.at(name));
        }
        self.put_away(path, now)?;
        fs::remove_file(parent.at(name))
    }

    fn restore(&mut self, path: &Path, then: &Item, now: Option<&Item>) -> io::Result<()> {
        let (parent, name) = self.folder.parent(path)?;
        let as_before = Permissions::from_mode(then.mode);
        match &then.form {
            Form::Link(to) => {
                symlink(to, parent.at(name))?;
                if geteuid().is_root() {
                    lchown(parent.at(name), Some(then.uid), Some(then.gid))?;
                }
            }
            Form::Folder => {
                if now.is_none_or(|now| now.form != Form::Folder) {
                    fs::create_dir(parent.at(name))?;
                    if geteuid().is_root() {
                        lchown(parent.at(name), Some(then.uid), Some(then.gid))?;
                    }
                }
                self.folder.folder(path)?.allow(as_before)?;
            }
            Form::File(sum) => {
                let mut content = File::open(self.blobs.join(sum))?;
                if let Some(now) = now.filter(|now| matches!(now.form, Form::File(_))) {
                    self.put_away(path, now)?;
                }
                let draft = parent.at(DRAFT.as_ref());
                let _ = fs::remove_file(&draft);
                let mut file =
                    File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
                io::copy(&mut content, &mut file)?;
                if geteuid().is_root() {
                    fchown(&file, Some(then.uid), Some(then.gid))?;
                }
                file.set_permissions(as_before)?;
                file.sync_all()?;
                fs::rename(draft, parent.at(name))?;
            }
        }
        Ok(())
    }

    /// Keeps what is about to go.
    fn put_away(&mut self, path: &Path, now: &Item) -> io::Result<()> {
        let place = self.aside.join(path);
        file::make_folder(place.parent().unwrap_or(&self.aside)).map_err(io::Error::other)?;
        self.undone.aside = Some(self.aside.clone());
        if let Form::Link(to) = &now.form {
            return symlink(to, place);
        }
        let (parent, name) = self.folder.parent(path)?;
        let mut away = File::create_new(place)?;
        io::copy(&mut parent.read(name)?, &mut away)?;
        away.flush()
    }
}

/// Whether `now` has to go before `then` can be there.
fn is_in_the_way(now: &Item, then: Option<&Item>) -> bool {
    let Some(then) = then else { return true };
    match (&now.form, &then.form) {
        (Form::Folder, Form::Folder) | (Form::File(_), Form::File(_)) => false,
        // A file takes the place of a link by its name, too, but then the link is put away here.
        _ => true,
    }
}
