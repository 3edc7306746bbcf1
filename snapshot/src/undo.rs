//! The way back.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, fchown, lchown, symlink};
use std::path::{Path, PathBuf};

use home::file;
use nix::unistd::geteuid;
use protocol::Millis;

use crate::beneath::{Beneath, OPEN, is_absent};
use crate::inventory::{Form, Inventory, Item, Sighting};
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
    /// How many more it has not looked at, at least, and does not name.
    pub unnamed: usize,
    /// Where that lies which was put away; nothing when there was nothing to put away.
    pub aside: Option<PathBuf>,
    /// Where that lies which the snapshot held of what was kept; nothing when it held none of it.
    pub before: Option<PathBuf>,
}

impl Snapshots {
    /// Puts the folder back as it was before the latest task, and forgets the task once nothing is left to do. After a crash or
    /// a failure it goes on, and touches nothing else. Nothing happens when there is no task.
    ///
    /// # Errors
    /// The system's; then the snapshot is kept, and it can be tried again.
    pub fn undo(&self, now: Millis) -> io::Result<Option<Undone>> {
        let Some((at, head)) = self.latest(now)? else { return Ok(None) };
        let folder = Beneath::open(&head.folder)?;
        let before = self.inventory(at, "before")?;
        let after = self.inventory(at, "after").ok();
        let known = after.as_ref().unwrap_or(&before);
        let there = Inventory::look_again(&folder, &before, known, self.bounds())?;
        // After a crash in the middle, what had been put back would look like the owner's.
        let mut to_do = match self.read(at, "rest") {
            Ok(rest) => rest,
            Err(_) => changed_by_task(&before, after.as_ref(), &there),
        };
        let planned = self.write(at, "rest", &to_do);
        if planned.is_err() {
            to_do = BTreeSet::new();
        }
        let mut way = Way {
            folder: &folder,
            blobs: self.blobs(),
            aside: self.aside(now),
            rest: BTreeSet::new(),
            undone: Undone { folder: head.folder, ..Undone::default() },
        };
        way.go(&before, &there, &to_do);
        planned?;
        let (mut undone, rest) = (way.undone, way.rest);
        let is_kept = |path: &&String| !to_do.contains(*path) && !path.ends_with(DRAFT);
        undone.kept.extend(changed(&before, &there).filter(is_kept).cloned());
        undone.left_out = left_out(&before, &there);
        undone.unnamed = before.unnamed.max(there.unnamed);
        if undone.failed.is_empty() {
            // A program that the task left running may have changed what seems to be the owner's.
            undone.before = self.lay_down(&before, &undone.kept, now).unwrap_or_else(|error| {
                let _ = fs::remove_dir_all(self.laid_down(now));
                undone.failed.push(format!("the old ones of what was kept ({error})"));
                None
            });
        }
        if undone.failed.is_empty() {
            self.forget(at)?;
        } else {
            self.write(at, "rest", &rest)?;
        }
        Ok(Some(undone))
    }

    /// Copies what was there `before` under these names to a folder, and says where that is.
    fn lay_down(
        &self,
        before: &Inventory,
        names: &[String],
        now: Millis,
    ) -> io::Result<Option<PathBuf>> {
        let folder = self.laid_down(now);
        for name in names {
            let Some(then) = before.items.get(name) else { continue };
            let place = folder.join(name);
            file::make_folder(place.parent().unwrap_or(&folder)).map_err(io::Error::other)?;
            match &then.form {
                Form::File(sum) => drop(fs::copy(self.blobs().join(sum), place)?),
                Form::Link(to) => symlink(to, place)?,
                Form::Folder => file::make_folder(&place).map_err(io::Error::other)?,
                Form::Unseen => {}
            }
        }
        Ok(folder.exists().then_some(folder))
    }
}

/// What is another now than before the task, by its doing: not what has changed since its last command had ended.
fn changed_by_task(
    before: &Inventory,
    after: Option<&Inventory>,
    there: &Inventory,
) -> BTreeSet<String> {
    let is_by_task = |path: &&String| {
        after.is_none_or(|after| is_same(there.items.get(*path), after.known(path)))
    };
    changed(before, there).filter(is_by_task).cloned().collect()
}

/// What is another now than before the task.
fn changed<'i>(
    before: &'i Inventory,
    there: &'i Inventory,
) -> impl DoubleEndedIterator<Item = &'i String> {
    paths(before, there).filter(|path| !is_same(there.items.get(*path), before.known(path)))
}

fn paths<'i>(
    one: &'i Inventory,
    other: &'i Inventory,
) -> impl DoubleEndedIterator<Item = &'i String> {
    let all: BTreeSet<_> = one.items.keys().chain(other.items.keys()).collect();
    all.into_iter()
}

/// Whether nothing tells the two apart; of what was not looked at then nobody knows.
fn is_same(now: Option<&Item>, then: Sighting<'_>) -> bool {
    match (now, then) {
        (Some(now), Sighting::There(then)) => now.is_like(then),
        (Some(_), Sighting::Absent) | (None, Sighting::There(_)) => false,
        (None, Sighting::Absent) | (_, Sighting::Nothing) => true,
    }
}

/// What no way back can know of. Whatever was there before has been looked for one by one.
fn left_out(before: &Inventory, there: &Inventory) -> Vec<String> {
    let unseen = there.left_out.iter().filter(|path| !before.items.contains_key(*path));
    let all: BTreeSet<_> = before.left_out.iter().chain(unseen).cloned().collect();
    let more = (before.is_cut || there.is_cut).then(|| "more files than a snapshot holds".into());
    all.into_iter().chain(more).collect()
}

struct Way<'w> {
    folder: &'w Beneath,
    blobs: PathBuf,
    aside: PathBuf,
    /// What is still to be done.
    rest: BTreeSet<String>,
    undone: Undone,
}

impl Way<'_> {
    fn go(&mut self, before: &Inventory, there: &Inventory, to_do: &BTreeSet<String>) {
        let all: Vec<_> = changed(before, there).filter(|path| to_do.contains(*path)).collect();
        // What lies in a folder goes before the folder.
        for path in all.iter().rev() {
            let (Some(now), then) = (there.items.get(*path), before.items.get(*path)) else {
                continue;
            };
            if is_in_the_way(now, then) {
                match self.remove(Path::new(path), now) {
                    Ok(()) if then.is_none() => self.undone.removed.push((*path).clone()),
                    Ok(()) => {}
                    // Something stays in it.
                    Err(error)
                        if error.kind() == io::ErrorKind::DirectoryNotEmpty && then.is_none() =>
                    {
                        self.rest.insert((*path).clone());
                    }
                    Err(error) => self.fail(path, &error),
                }
            }
        }
        for path in all {
            let Some(then) = before.items.get(path) else { continue };
            if self.rest.contains(path) {
                continue;
            }
            match self.restore(Path::new(path), then, there.items.get(path)) {
                Ok(()) => self.undone.restored.push(path.clone()),
                Err(error) => self.fail(path, &error),
            }
        }
        self.undone.removed.reverse();
        self.shut(before, there, to_do);
    }

    fn fail(&mut self, path: &str, why: &io::Error) {
        self.undone.failed.push(format!("{path} ({why})"));
        self.rest.insert(path.to_owned());
    }

    fn remove(&mut self, path: &Path, now: &Item) -> io::Result<()> {
        let (parent, name) = self.folder.parent(path)?;
        if now.form == Form::Folder {
            return fs::remove_dir(parent.at(name));
        }
        self.put_away(path, now)?;
        match fs::remove_file(parent.at(name)) {
            // It was put away itself.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    fn restore(&mut self, path: &Path, then: &Item, now: Option<&Item>) -> io::Result<()> {
        let (parent, name) = self.folder.parent(path)?;
        match &then.form {
            Form::Link(to) => {
                symlink(to, parent.at(name))?;
                if geteuid().is_root() {
                    lchown(parent.at(name), Some(then.uid), Some(then.gid))?;
                }
            }
            Form::Folder => {
                if now.is_none_or(|now| now.form != Form::Folder) {
                    // It gets its permissions once all is in it.
                    DirBuilder::new().mode(0o700).create(parent.at(name))?;
                    if geteuid().is_root() {
                        lchown(parent.at(name), Some(then.uid), Some(then.gid))?;
                    }
                }
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
                file.set_permissions(Permissions::from_mode(then.mode))?;
                file.sync_all()?;
                fs::rename(draft, parent.at(name))?;
            }
            // No snapshot holds such a thing.
            Form::Unseen => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(())
    }

    /// Gives the folders their permissions: those of before to what was to be put back, and to others their own, for they were
    /// opened. What lies in a folder comes before the folder, which may keep its owner out from then on.
    fn shut(&mut self, before: &Inventory, there: &Inventory, to_do: &BTreeSet<String>) {
        for path in paths(before, there).rev() {
            let then = before.items.get(path).filter(|_| to_do.contains(path));
            let folder = then.or(there.items.get(path)).filter(|item| item.form == Form::Folder);
            let Some(folder) = folder else { continue };
            if then.is_none() && folder.mode & OPEN == OPEN {
                continue;
            }
            match self.folder.allow(Path::new(path), folder.mode) {
                Err(error) if then.is_some() && !is_absent(&error) && !self.rest.contains(path) => {
                    self.fail(path, &error);
                }
                _ => {}
            }
        }
    }

    /// Keeps what is about to go. What was not looked at is moved, if it can be: it may be large, and nobody may read it.
    fn put_away(&mut self, path: &Path, now: &Item) -> io::Result<()> {
        let (parent, name) = self.folder.parent(path)?;
        let facts = parent.facts(name)?;
        if now.form == Form::Unseen && facts.is_dir() {
            let why = "a folder stands there that no snapshot looks into: move it away";
            return Err(io::Error::other(why));
        }
        let place = self.aside.join(path);
        file::make_folder(place.parent().unwrap_or(&self.aside)).map_err(io::Error::other)?;
        self.undone.aside = Some(self.aside.clone());
        if let Form::Link(to) = &now.form {
            return symlink(to, place);
        }
        if now.form == Form::Unseen {
            match fs::rename(parent.at(name), &place) {
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
                moved => return moved,
            }
            if !facts.is_file() {
                // A pipe or a socket holds nothing.
                return Ok(());
            }
        }
        let mut content = parent.read(name)?;
        let mut away = File::create_new(place)?;
        io::copy(&mut content, &mut away)?;
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
