//! What a task has hidden from the look, changed after its last command, or put in the way.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::Path;

use protocol::Millis;
use snapshot::Snapshots;

use crate::desk::Desk;
use crate::pipe;

#[test]
fn what_a_task_hid_is_as_before() {
    let mut desk = Desk::new(&[("data", "data"), ("pipe", "no pipe"), ("src/main", "main")]);
    desk.command(1, |desk| {
        let project = desk.project();
        // From then on nobody knows all names.
        fs::write(project.join(OsStr::from_bytes(b"\xff")), "").unwrap();
        fs::remove_file(project.join("src/main")).unwrap();
        fs::File::create(project.join("data")).unwrap().set_len(200 << 20).unwrap();
        fs::remove_file(project.join("pipe")).unwrap();
        pipe(&project.join("pipe"));
    });
    let undone = desk.undo();
    assert_eq!(undone.restored, ["data", "pipe", "src/main"]);
    assert_eq!(undone.left_out, ["\u{fffd}", "more files than a snapshot holds"]);
    assert_eq!((&undone.kept, &undone.failed), (&vec![], &vec![]));
    let text = |path| desk.text(path).unwrap();
    assert_eq!(["data", "pipe", "src/main"].map(text), ["data", "no pipe", "main"]);
    let facts = |path| fs::symlink_metadata(undone.aside.as_ref().unwrap().join(path)).unwrap();
    assert_eq!(facts("data").len(), 200 << 20);
    assert!(facts("pipe").file_type().is_fifo());
    assert_eq!(desk.snapshots.next(Millis(desk.now)).unwrap(), None);
}

#[test]
fn what_is_in_the_way_is_put_away_on_another_disk() {
    let (place, state) = (tempfile::tempdir_in("/dev/shm").unwrap(), tempfile::tempdir().unwrap());
    let device = |place: &tempfile::TempDir| fs::metadata(place).unwrap().dev();
    assert_ne!(device(&place), device(&state));
    let project = place.path().canonicalize().unwrap();
    let snapshots = Snapshots::at(state.path().canonicalize().unwrap().join("one"));
    ["data", "pipe"].iter().for_each(|path| fs::write(project.join(path), "old").unwrap());
    snapshots.begin(&project, None, Millis(1)).unwrap();
    fs::File::options()
        .append(true)
        .open(project.join("data"))
        .unwrap()
        .set_len(129 << 20)
        .unwrap();
    fs::remove_file(project.join("pipe")).unwrap();
    pipe(&project.join("pipe"));
    let undone = snapshots.undo(Millis(2)).unwrap().unwrap();
    assert_eq!((undone.restored, undone.failed), (vec!["data".into(), "pipe".into()], vec![]));
    let text = |path| fs::read_to_string(project.join(path)).unwrap();
    assert_eq!(["data", "pipe"].map(text), ["old"; 2]);
    assert_eq!(fs::metadata(undone.aside.unwrap().join("data")).unwrap().len(), 129 << 20);
}

#[test]
fn a_way_back_that_failed_goes_on_and_leaves_what_the_owner_did_since() {
    let mut desk = Desk::new(&[("a", "old"), ("b", "old")]);
    symlink("elsewhere", desk.project().join("venv")).unwrap();
    desk.command(1, |desk| {
        ["a", "b"].iter().for_each(|path| desk.put(path, "new"));
        fs::remove_file(desk.project().join("venv")).unwrap();
        desk.put("venv/bin", "made again");
    });
    desk.put("b", "mine");
    let undone = desk.undo();
    let why = "venv (a folder stands there that no snapshot looks into: move it away)";
    assert_eq!((undone.failed, undone.left_out), (vec![why.to_owned()], vec![]));
    assert_eq!((undone.restored, undone.kept), (vec!["a".to_owned()], vec!["b".to_owned()]));
    assert_eq!(desk.text("venv/bin").unwrap(), "made again");
    desk.put("a", "mine");
    desk.put("more", "mine");
    fs::remove_dir_all(desk.project().join("venv")).unwrap();
    let undone = desk.undo();
    assert_eq!((undone.restored, undone.failed), (vec!["venv".to_owned()], vec![]));
    assert_eq!(undone.kept, ["a", "b", "more"]);
    assert_eq!(fs::read_link(desk.project().join("venv")).unwrap(), Path::new("elsewhere"));
    let text = |path| desk.text(path).unwrap();
    assert_eq!(["a", "b", "more"].map(text), ["mine"; 3]);
    assert_eq!(desk.snapshots.next(Millis(desk.now)).unwrap(), None);
}

#[test]
fn a_task_that_goes_on_after_a_failure_is_taken_back_whole() {
    let mut desk = Desk::new(&[("a", "old")]);
    symlink("elsewhere", desk.project().join("venv")).unwrap();
    desk.command(1, |desk| {
        fs::remove_file(desk.project().join("venv")).unwrap();
        desk.put("venv/bin", "made again");
    });
    assert_eq!(desk.undo().failed.len(), 1);
    desk.command(1, |desk| {
        fs::remove_dir_all(desk.project().join("venv")).unwrap();
        desk.put("a", "new");
    });
    assert_eq!(desk.undo().restored, ["a", "venv"]);
}

#[test]
fn what_a_job_changed_after_the_last_command_is_laid_down_as_it_was() {
    let mut desk = Desk::new(&[("a", "old"), ("src/b", "b")]);
    symlink("b", desk.project().join("src/link")).unwrap();
    desk.command(1, |desk| desk.put("a", "new"));
    // As `(sleep 5; rm -r src; echo more >> a) &` does it.
    fs::remove_dir_all(desk.project().join("src")).unwrap();
    desk.put("a", "newer");
    desk.put("own", "mine");
    let undone = desk.undo();
    assert_eq!(undone.kept, ["a", "own", "src", "src/b", "src/link"]);
    let before = undone.before.unwrap();
    assert_eq!(fs::read_to_string(before.join("a")).unwrap(), "old");
    assert_eq!(fs::read_to_string(before.join("src/b")).unwrap(), "b");
    assert_eq!(fs::read_link(before.join("src/link")).unwrap(), Path::new("b"));
    assert!(!before.join("own").exists());
    desk.now += 8 * 24 * 3_600 * 1_000;
    desk.command(2, |_| {});
    assert!(!before.exists());
}

#[test]
fn a_snapshot_is_kept_as_long_as_what_it_holds_can_not_be_laid_down() {
    let mut desk = Desk::new(&[("a", "old"), ("b", "old")]);
    desk.command(1, |desk| desk.put("a", "new"));
    ["a", "b"].iter().for_each(|path| desk.put(path, "mine"));
    // A file where the folder is to be.
    let undone = desk.place.path().join("state/one/undone");
    fs::write(&undone, "").unwrap();
    let failed = desk.undo().failed;
    assert!(failed[0].starts_with("the old ones of what was kept ("), "{failed:?}");
    fs::remove_file(undone).unwrap();
    let before = desk.undo().before.unwrap();
    let text = |path| fs::read_to_string(before.join(path)).unwrap();
    assert_eq!(["a", "b"].map(text), ["old"; 2]);
}
