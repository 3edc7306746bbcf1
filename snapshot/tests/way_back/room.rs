//! The room that snapshots take up.

use std::fs;
use std::process::Command;

use protocol::Millis;

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
        shell.current_dir(place.path());
        let test = "room::a_snapshot_that_cannot_be_written_is_none_and_takes_up_no_room";
        return desk::again(test, shell);
    }
    let mut desk = Desk::new(&[("a", "small"), ("z", "small, too")]);
    fs::rename("large", desk.project().join("large")).unwrap();
    desk.snapshots.begin(&desk.project(), None, Millis(desk.now)).unwrap_err();
    let blobs = desk.place.path().join("state/one/blobs");
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
    assert_eq!(desk.snapshots.next().unwrap(), None);
    fs::remove_file(desk.project().join("large")).unwrap();
    desk.command(1, |desk| desk.put("a", "new"));
    assert_eq!(desk.undo().restored, ["a"]);
}
