//! The room that snapshots take up.

use std::fs;
use std::process::Command;

use protocol::Millis;
use snapshot::Snapshots;

use crate::desk::{self, Desk};

#[test]
fn a_snapshot_that_cannot_be_written_is_none_and_takes_up_no_room() {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let longest = limits.lines().find(|line| line.starts_with("Max file size")).unwrap();
    if longest.contains("unlimited") {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("large"), "x".repeat(200_000)).unwrap();
        // A disk that is full after 64 KB of a file.
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$@\"", "sh"]);
        shell.arg(std::env::current_exe().unwrap()).current_dir(place.path());
        let test = "room::a_snapshot_that_cannot_be_written_is_none_and_takes_up_no_room";
        return desk::again(test, shell);
    }
    let mut desk = Desk::new(&[("a", "small"), ("z", "small, too")]);
    fs::rename("large", desk.project().join("large")).unwrap();
    desk.snapshots.begin(&desk.project(), None, Millis(desk.now)).unwrap_err();
    let blobs = desk.place.path().join("state/one/blobs");
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
    assert_eq!(desk.snapshots.next(Millis(desk.now)).unwrap(), None);
    fs::remove_file(desk.project().join("large")).unwrap();
    desk.command(1, |desk| desk.put("a", "new"));
    assert_eq!(desk.undo().restored, ["a"]);
}

#[test]
fn after_a_week_nothing_is_put_back_and_nothing_is_kept_of_a_conversation_at_rest() {
    let week = 8 * 24 * 3_600 * 1_000;
    let mut desk = Desk::new(&[("a", "old")]);
    desk.command(1, |desk| desk.put("a", "one"));
    desk.command(2, |desk| desk.put("a", "two"));
    desk.undo();
    let rooms = desk.place.path().join("state");
    let names = |folder: &str| fs::read_dir(rooms.join(folder)).unwrap().count();
    Snapshots::sweep_all(&rooms, Millis(desk.now)).unwrap();
    assert_eq!(["one/blobs", "one/undone"].map(names), [1, 1]);
    desk.now += week;
    assert_eq!(desk.snapshots.next(Millis(desk.now)).unwrap(), None);
    assert_eq!(desk.snapshots.undo(Millis(desk.now)).unwrap(), None);
    assert_eq!(desk.text("a").unwrap(), "one");
    // One conversation works on, and none has any other's snapshots.
    let other = Snapshots::at(rooms.join("two"));
    other.begin(&desk.project(), Some(Millis(3)), Millis(desk.now)).unwrap();
    Snapshots::sweep_all(&rooms, Millis(desk.now)).unwrap();
    assert_eq!(names(""), 1);
    assert!(other.next(Millis(desk.now)).unwrap().is_some());
}
