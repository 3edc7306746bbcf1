//! A folder in which tasks work, and its snapshots.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use protocol::Millis;
use snapshot::{Snapshots, Undone};

pub struct Desk {
    pub place: tempfile::TempDir,
    pub snapshots: Snapshots,
    pub now: u64,
}

impl Desk {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let place = tempfile::tempdir().unwrap();
        let snapshots = Snapshots::at(place.path().canonicalize().unwrap().join("state/one"));
        let desk = Self { place, snapshots, now: 1_700_000_000_000 };
        fs::create_dir(desk.project()).unwrap();
        files.iter().for_each(|(path, text)| desk.put(path, text));
        desk
    }

    pub fn project(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join("project")
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.project().join(path)).ok()
    }

    /// One command of a task.
    pub fn command(&mut self, task: u64, deed: impl FnOnce(&Self)) {
        self.begins(task);
        deed(self);
        let (_, task) = self.snapshots.next(Millis(self.now)).unwrap().unwrap();
        self.snapshots.ended(task).unwrap();
    }

    pub fn begins(&mut self, task: u64) {
        self.now += 1_000;
        self.snapshots.begin(&self.project(), Some(Millis(task)), Millis(self.now)).unwrap();
    }

    pub fn undo(&mut self) -> Undone {
        self.now += 1_000;
        self.snapshots.undo(Millis(self.now)).unwrap().expect("there is a task")
    }
}

pub fn away(undone: &Undone, path: &str) -> String {
    fs::read_to_string(undone.aside.as_ref().unwrap().join(path)).unwrap()
}

/// Runs one of these tests again, in the process that `command` makes.
pub fn again(test: &str, mut command: Command) {
    let ran = command.args(["--exact", test]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}
