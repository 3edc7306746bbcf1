//! The snapshots of one conversation: one for each task, the newest last.
//!
//! A task `N` (the time at which it began) has the files `N.before` (what was there), `N.task` (which says that the snapshot is
//! whole), `N.after` (what was there when the latest command had ended; while one runs it is called `N.then`), and `N.rest` while
//! it is being taken back (what is still to be put back). `blobs/` has the contents of files by their sums, and `undone/` what a
//! way back has put away.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use home::file;
use protocol::Millis;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::beneath::Beneath;
use crate::inventory::{Extent, Form, Intake, Inventory, Sums, sum_into};

/// How long a snapshot is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// How many are kept. The oldest of a folder stays, so that many small tasks don't push away how it all began.
const MOST: usize = 10;

/// The snapshots that lie in one folder.
#[derive(Debug, Clone)]
pub struct Snapshots {
    room: PathBuf,
    bounds: Extent,
}

/// What says that a snapshot is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Which task it is.
    task: Option<Millis>,
}

impl Snapshots {
    /// Those in `room`, which is made when it is needed.
    #[must_use]
    pub fn at(room: PathBuf) -> Self {
        Self { room, bounds: Extent::default() }
    }

    #[cfg(test)]
    pub(crate) fn bounded(room: PathBuf, bounds: Extent) -> Self {
        Self { room, bounds }
    }

    /// Takes in that a command is about to run in `folder`, and keeps the folder as it is when the command is the first one of
    /// its `task`. `now` is the time, and what is given the time at which the task began.
    ///
    /// # Errors
    /// The system's; then nothing is kept, and the command should not run.
    pub fn begin(&self, folder: &Path, task: Option<Millis>, now: Millis) -> io::Result<Millis> {
        let head = Head { folder: folder.to_owned(), task };
        let latest = self.latest(now)?;
        if let Some((at, there)) = &latest
            && *there == head
        {
            self.set_back(*at)?;
            return Ok(*at);
        }
        self.sweep(now, MOST - 1)?;
        let at = latest.as_ref().map_or(now, |(at, _)| now.max(at.after(Duration::from_millis(1))));
        let taken = self.take(&head, latest.map(|(at, _)| at), at);
        if taken.is_err() {
            // Half of a snapshot would take up the room that is missing.
            let _ = self.sweep(now, MOST);
        }
        taken.map(|()| at)
    }

    /// Keeps the folder of `head` as it is now, as the task `at`.
    fn take(&self, head: &Head, latest: Option<Millis>, at: Millis) -> io::Result<()> {
        let before = match latest {
            Some(latest) => {
                self.inventory(latest, "after").or_else(|_| self.inventory(latest, "before"))
            }
            None => Ok(Inventory::default()),
        };
        let before = self.with_content(before.unwrap_or_default());
        file::make_folder(&self.blobs()).map_err(io::Error::other)?;
        let opened = Beneath::open(&head.folder)?;
        let mut copies = Copies { blobs: self.blobs() };
        let found = Inventory::look(&opened, &before, self.bounds, &mut copies)?;
        self.keep(at, "before", &found)?;
        // The contents are on the disk before anything says so.
        nix::unistd::syncfs(File::open(self.blobs())?)?;
        self.write(at, "task", head)
    }

    /// Takes in how the folder is now that a command of the task that began at `task` has ended; a task that was undone meanwhile
    /// needs no word of it.
    ///
    /// # Errors
    /// The system's; then nobody can tell later what the owner has changed.
    pub fn ended(&self, task: Millis) -> io::Result<()> {
        if self.tasks()?.last() != Some(&task) {
            return Ok(());
        }
        let head: Head = self.read(task, "task")?;
        let before = self.inventory(task, "then").or_else(|_| self.inventory(task, "before"))?;
        let opened = Beneath::open(&head.folder)?;
        let found = Inventory::look(&opened, &before, self.bounds, &mut Sums::default())?;
        self.keep(task, "after", &found)
    }

    /// Which folder the latest snapshot is of, and when it was taken; nothing when that is too long ago.
    ///
    /// # Errors
    /// The system's.
    pub fn next(&self, now: Millis) -> io::Result<Option<(PathBuf, Millis)>> {
        Ok(self.latest(now)?.map(|(at, head)| (head.folder, at)))
    }

    /// Removes what is kept for too long by any conversation; each has its snapshots in a folder of its own in `rooms`.
    ///
    /// # Errors
    /// The system's, once all of them have been tried.
    pub fn sweep_all(rooms: &Path, now: Millis) -> io::Result<()> {
        let rooms = names(rooms)?.into_iter().map(|name| rooms.join(name));
        let swept = rooms.filter(|room| room.is_dir()).map(|room| {
            Self::at(room.clone()).sweep(now, MOST)?;
            // Those stay that are not empty.
            for folder in [room.join("blobs"), room.join("undone"), room] {
                let _ = fs::remove_dir(folder);
            }
            Ok(())
        });
        swept.fold(Ok(()), io::Result::and)
    }

    /// The newest task that is not too old.
    pub(crate) fn latest(&self, now: Millis) -> io::Result<Option<(Millis, Head)>> {
        match self.tasks()?.last().filter(|at| !is_old(**at, now)) {
            Some(at) => Ok(Some((*at, self.read(*at, "task")?))),
            None => Ok(None),
        }
    }

    /// The inventory `name` of a task.
    pub(crate) fn inventory(&self, at: Millis, name: &str) -> io::Result<Inventory> {
        self.read(at, name)
    }

    /// Reads what stands in a file of a task.
    pub(crate) fn read<T: DeserializeOwned>(&self, at: Millis, name: &str) -> io::Result<T> {
        let bytes = file::read(&self.file(at, name), self.bounds.inventory)
            .map_err(|error| io::Error::new(error.kind(), error))?;
        Ok(serde_json::from_slice(&bytes.ok_or(io::ErrorKind::NotFound)?)?)
    }

    /// Writes the inventory `name` of a task, unless it would be too long to be read again.
    fn keep(&self, at: Millis, name: &str, found: &Inventory) -> io::Result<()> {
        let bytes = serde_json::to_vec(found)?;
        if bytes.len() as u64 > self.bounds.inventory {
            let why = "the names in it are too long to be kept: shorten them, or move some of the files elsewhere";
            return Err(io::Error::other(why));
        }
        file::write(&self.file(at, name), &bytes).map_err(io::Error::other)
    }

    /// Writes a file of a task.
    pub(crate) fn write(&self, at: Millis, name: &str, what: &impl Serialize) -> io::Result<()> {
        file::write(&self.file(at, name), &serde_json::to_vec(what)?).map_err(io::Error::other)
    }

    /// What looks no further than the snapshots do.
    pub(crate) fn bounds(&self) -> Extent {
        self.bounds
    }

    /// Where the contents of files are.
    pub(crate) fn blobs(&self) -> PathBuf {
        self.room.join("blobs")
    }

    /// Where the way back that begins `now` puts things away.
    pub(crate) fn aside(&self, now: Millis) -> PathBuf {
        self.room.join("undone").join(now.0.to_string())
    }

    /// Where it lays down what was there before under the names that it keeps as they are now.
    pub(crate) fn laid_down(&self, now: Millis) -> PathBuf {
        self.room.join("undone").join(format!("{}.before", now.0))
    }

    /// Forgets a task.
    pub(crate) fn forget(&self, at: Millis) -> io::Result<()> {
        // First what says that it is there.
        ["task", "rest", "after", "then", "before"].iter().try_for_each(|name| self.drop(at, name))
    }

    fn drop(&self, at: Millis, name: &str) -> io::Result<()> {
        match fs::remove_file(self.file(at, name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Nobody knows how the folder is while a command runs, and a way back has all to do again.
    fn set_back(&self, at: Millis) -> io::Result<()> {
        self.drop(at, "rest")?;
        match fs::rename(self.file(at, "after"), self.file(at, "then")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            moved => moved,
        }
    }

    /// Without the files whose contents are not kept.
    fn with_content(&self, mut inventory: Inventory) -> Inventory {
        let blobs = self.blobs();
        inventory.items.retain(|_, item| match &item.form {
            Form::File(sum) => blobs.join(sum).exists(),
            _ => true,
        });
        inventory
    }

    fn file(&self, at: Millis, name: &str) -> PathBuf {
        self.room.join(format!("{:013}.{name}", at.0))
    }

    /// The tasks whose snapshots are whole, the newest last.
    fn tasks(&self) -> io::Result<Vec<Millis>> {
        let mut tasks: Vec<_> =
            names(&self.room)?.iter().filter_map(|name| task_of(name, "task")).collect();
        tasks.sort();
        Ok(tasks)
    }

    /// The oldest two tasks that one folder has, by their places.
    fn alike(&self, tasks: &[Millis]) -> io::Result<Option<(usize, usize)>> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for (place, at) in tasks.iter().enumerate() {
            let head: Head = self.read(*at, "task")?;
            if let Some(first) = folders.iter().position(|folder| *folder == head.folder) {
                return Ok(Some((first, place)));
            }
            folders.push(head.folder);
        }
        Ok(None)
    }

    /// Has the task `kept` take in a later one of its folder: what both did is taken back together.
    fn merge(&self, kept: Millis, later: Millis) -> io::Result<()> {
        self.drop(kept, "rest")?;
        let (from, to) = (self.file(later, "after"), self.file(kept, "after"));
        match fs::rename(from, &to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.drop(kept, "after"),
            moved => moved,
        }
    }

    /// Removes what is too old, the tasks beyond `most`, and what a crash has left. Nobody else writes here meanwhile.
    fn sweep(&self, now: Millis, most: usize) -> io::Result<()> {
        if self.room.exists() {
            file::remove_drafts(&self.room).map_err(io::Error::other)?;
        }
        let mut tasks = self.tasks()?;
        for at in tasks.extract_if(.., |at| is_old(*at, now)) {
            self.forget(at)?;
        }
        while tasks.len() > most {
            let gone = match self.alike(&tasks)? {
                Some((kept, merged)) => {
                    self.merge(tasks[kept], tasks[merged])?;
                    merged
                }
                None => 0,
            };
            self.forget(tasks.remove(gone))?;
        }
        for name in names(&self.room)? {
            let of =
                ["before", "after", "then", "rest"].iter().find_map(|part| task_of(&name, part));
            if of.is_some_and(|at| !tasks.contains(&at)) {
                fs::remove_file(self.room.join(&name))?;
            }
        }
        let mut used = BTreeSet::new();
        for at in tasks {
            let before = match self.inventory(at, "before") {
                // Nothing can be put back by it, and it would keep each new snapshot away until it is too old.
                Err(error) if is_useless(&error) => {
                    self.forget(at)?;
                    continue;
                }
                before => before?,
            };
            let items = before.items.into_values();
            used.extend(items.filter_map(|item| match item.form {
                Form::File(sum) => Some(sum),
                _ => None,
            }));
        }
        for name in names(&self.blobs())?.iter().filter(|name| !used.contains(*name)) {
            fs::remove_file(self.blobs().join(name))?;
        }
        let undone = self.room.join("undone");
        for name in names(&undone)? {
            let at = name.strip_suffix(".before").unwrap_or(&name).parse();
            if at.is_ok_and(|at| is_old(Millis(at), now)) {
                fs::remove_dir_all(undone.join(name))?;
            }
        }
        Ok(())
    }
}

/// Whether a list is gone, longer than what is read, or no list: a later look finds it the same.
fn is_useless(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidData, NotFound, UnexpectedEof};
    matches!(error.kind(), FileTooLarge | InvalidData | NotFound | UnexpectedEof)
}

fn is_old(at: Millis, now: Millis) -> bool {
    now.since(at) > KEPT
}

/// The names in a folder that is ours; none while there is no folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
        Ok(entries) => {
            Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
        }
    }
}

/// Which task a file of this kind belongs to.
fn task_of(name: &str, kind: &str) -> Option<Millis> {
    let path = Path::new(name);
    let at = path.file_stem()?.to_str()?.parse().ok()?;
    (path.extension() == Some(OsStr::new(kind))).then_some(Millis(at))
}

/// Copies files to where the contents are.
struct Copies {
    blobs: PathBuf,
}

impl Intake for Copies {
    fn read(&mut self, file: File, longest: u64) -> io::Result<Option<String>> {
        let draft = self.blobs.join("draft");
        let copied = File::create(&draft).and_then(|mut to| {
            let sum = sum_into(file, longest, &mut to)?;
            sum.map(|sum| fs::rename(&draft, self.blobs.join(&sum)).map(|()| sum)).transpose()
        });
        if !matches!(copied, Ok(Some(_))) {
            let _ = fs::remove_file(&draft);
        }
        copied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_too_much_is_left_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let folder = place.join("project");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("big"), "0123456789").unwrap();
        fs::write(folder.join("small"), "0").unwrap();
        let bounds = Extent { file: 8, items: 2, ..Extent::default() };
        let snapshots = Snapshots::bounded(place.join("state"), bounds);
        snapshots.begin(&folder, None, Millis(1)).unwrap();
        fs::write(folder.join("big"), "9876543210").unwrap();
        fs::write(folder.join("small"), "1").unwrap();
        for name in ["x", "y", "z"] {
            fs::write(folder.join(name), "1").unwrap();
        }
        snapshots.ended(snapshots.next(Millis(1)).unwrap().unwrap().1).unwrap();
        let undone = snapshots.undo(Millis(2)).unwrap().unwrap();
        assert_eq!(
            (undone.restored, undone.removed),
            (vec!["small".to_owned()], vec!["x".to_owned()])
        );
        assert_eq!(undone.left_out, ["big", "more files than a snapshot holds"]);
        assert_eq!(fs::read_to_string(folder.join("big")).unwrap(), "9876543210");
        assert!(folder.join("y").exists() && folder.join("z").exists());
    }

    #[test]
    fn of_what_is_left_out_so_many_are_named_and_the_rest_is_counted() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let folder = place.join("project");
        fs::create_dir(&folder).unwrap();
        (1..=5).for_each(|n| fs::write(folder.join(format!("big{n}")), "0123456789").unwrap());
        let bounds = Extent { file: 8, left_out: 2, ..Extent::default() };
        let snapshots = Snapshots::bounded(place.join("state"), bounds);
        let task = snapshots.begin(&folder, None, Millis(1)).unwrap();
        assert_eq!(snapshots.inventory(task, "before").unwrap().left_out, ["big1", "big2"]);
        // Nobody knows whether this was there.
        fs::write(folder.join("big4"), "small").unwrap();
        snapshots.ended(task).unwrap();
        let undone = snapshots.undo(Millis(2)).unwrap().unwrap();
        let told = crate::told(&undone);
        let left = "left as it is: big1, big2, more files than a snapshot holds and 3 more";
        assert!(told.ends_with(left), "{told}");
        assert!(folder.join("big4").exists());
    }

    #[test]
    fn no_list_is_kept_that_could_not_be_read_again() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let folder = place.join("project");
        let long = folder.join("x".repeat(200));
        fs::create_dir_all(&long).unwrap();
        let bounds = Extent { inventory: 1_500, ..Extent::default() };
        let snapshots = Snapshots::bounded(place.join("state"), bounds);
        let task = snapshots.begin(&folder, Some(Millis(1)), Millis(1)).unwrap();
        (0..9).for_each(|n| fs::write(long.join(n.to_string()), "new").unwrap());
        snapshots.ended(task).unwrap_err();
        let refused = snapshots.begin(&folder, Some(Millis(2)), Millis(2)).unwrap_err().to_string();
        assert!(refused.starts_with("the names in it are too long to be kept"), "{refused}");
        // What there was before is there, and can be put back.
        assert_eq!(snapshots.next(Millis(3)).unwrap(), Some((folder.clone(), task)));
        assert_eq!(snapshots.undo(Millis(3)).unwrap().unwrap().removed.len(), 9);
        assert!(snapshots.begin(&folder, Some(Millis(2)), Millis(4)).is_ok());
    }

    #[test]
    fn a_list_of_before_that_can_not_be_read_keeps_no_new_snapshot_away() {
        for broken in [" ".repeat(2_000), "{\"items\"".to_owned(), "[]".to_owned()] {
            let place = tempfile::tempdir().unwrap();
            let place = place.path().canonicalize().unwrap();
            let folder = place.join("project");
            fs::create_dir(&folder).unwrap();
            let bounds = Extent { inventory: 1_500, ..Extent::default() };
            let snapshots = Snapshots::bounded(place.join("state"), bounds);
            let old = snapshots.begin(&folder, Some(Millis(1)), Millis(1)).unwrap();
            fs::write(snapshots.file(old, "before"), broken).unwrap();
            let new = snapshots.begin(&folder, Some(Millis(2)), Millis(2)).unwrap();
            assert_eq!(snapshots.tasks().unwrap(), [new]);
            fs::write(folder.join("new"), "new").unwrap();
            snapshots.ended(new).unwrap();
            assert_eq!(snapshots.undo(Millis(3)).unwrap().unwrap().removed, ["new"]);
        }
    }

    #[test]
    fn what_a_crash_left_half_written_goes_with_the_next_snapshot() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let (folder, room) = (place.join("project"), place.join("state"));
        [&folder, &room].iter().for_each(|folder| fs::create_dir(folder).unwrap());
        fs::write(room.join(".draft-x1y2z3.tmp"), "half").unwrap();
        Snapshots::at(room.clone()).begin(&folder, None, Millis(1)).unwrap();
        let mut left = names(&room).unwrap();
        left.sort();
        assert_eq!(left, ["0000000000001.before", "0000000000001.task", "blobs"]);
    }

    #[test]
    fn what_was_there_comes_back_however_much_a_task_has_made_before_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let folder = place.join("project");
        let put = |path: &str, text: &str| fs::write(folder.join(path), text).unwrap();
        fs::create_dir_all(folder.join("src")).unwrap();
        ["src/a", "src/b", "src/same"].iter().for_each(|path| put(path, "old"));
        let bounds = Extent { bytes: 16, items: 4, ..Extent::default() };
        let snapshots = Snapshots::bounded(place.join("state"), bounds);
        let task = snapshots.begin(&folder, None, Millis(1)).unwrap();
        fs::create_dir(folder.join("build")).unwrap();
        ["build/1", "build/2", "build/3", "build/4"].iter().for_each(|path| put(path, "1234"));
        put("src/a", "new");
        fs::remove_file(folder.join("src/b")).unwrap();
        snapshots.ended(task).unwrap();
        let undone = snapshots.undo(Millis(2)).unwrap().unwrap();
        assert_eq!(undone.restored, ["src/a", "src/b"]);
        assert_eq!(undone.removed, ["build/1", "build/2", "build/3"]);
        assert_eq!((undone.kept, undone.failed), (vec![], vec![]));
        let text = |path| fs::read_to_string(folder.join(path)).unwrap();
        assert_eq!(["src/a", "src/b", "src/same"].map(text), ["old"; 3]);
    }
}
