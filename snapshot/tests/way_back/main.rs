//! A folder is put back as it was before a task, and nothing else is touched.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_types,
    reason = "a test ends with a panic, and starts itself"
)]

mod desk;
mod hidden;
mod room;
mod users;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use desk::{Desk, away};
use protocol::Millis;

#[test]
fn what_a_task_changed_made_and_removed_is_as_before() {
    let mut desk =
        Desk::new(&[("a", "old"), ("src/b", "b"), ("src/deep/c", "c"), ("same", "same")]);
    fs::set_permissions(desk.project().join("a"), Permissions::from_mode(0o755)).unwrap();
    symlink("a", desk.project().join("link")).unwrap();
    desk.command(1, |desk| desk.put("a", "half"));
    desk.command(1, |desk| {
        desk.put("a", "new");
        fs::remove_dir_all(desk.project().join("src")).unwrap();
        desk.put("src", "a file now");
        desk.put("made/x", "x");
        fs::remove_file(desk.project().join("link")).unwrap();
        fs::create_dir(desk.project().join("link")).unwrap();
    });
    let undone = desk.undo();
    assert_eq!(undone.restored, ["a", "link", "src", "src/b", "src/deep", "src/deep/c"]);
    assert_eq!(undone.removed, ["made", "made/x"]);
    assert_eq!((&undone.kept, &undone.failed), (&vec![], &vec![]));
    let text = |path| desk.text(path).unwrap();
    assert_eq!(["a", "src/b", "src/deep/c", "same"].map(text), ["old", "b", "c", "same"]);
    assert_eq!(fs::metadata(desk.project().join("a")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_link(desk.project().join("link")).unwrap(), Path::new("a"));
    assert!(!desk.project().join("made").exists());
    assert_eq!(["a", "src", "made/x"].map(|path| away(&undone, path)), ["new", "a file now", "x"]);
    assert_eq!(desk.snapshots.undo(Millis(desk.now)).unwrap(), None);
}

#[test]
fn what_the_owner_changed_since_stays_and_is_named() {
    let mut desk = Desk::new(&[("a", "old"), ("b", "old"), ("c", "old")]);
    desk.command(1, |desk| {
        ["a", "b", "c"].iter().for_each(|path| desk.put(path, "new"));
        desk.put("made/by", "task");
        desk.put("made/mine", "task");
    });
    desk.put("b", "mine");
    fs::remove_file(desk.project().join("c")).unwrap();
    desk.put("made/mine", "mine");
    desk.put("own", "mine");
    let undone = desk.undo();
    assert_eq!(undone.kept, ["b", "c", "made/mine", "own"]);
    assert_eq!(
        (undone.restored, undone.removed),
        (vec!["a".to_owned()], vec!["made/by".to_owned()])
    );
    let now = ["a", "b", "c", "made/mine", "own"].map(|path| desk.text(path));
    assert_eq!(
        now,
        [Some("old"), Some("mine"), None, Some("mine"), Some("mine")]
            .map(|text| text.map(str::to_owned))
    );
}

#[test]
fn task_after_task_is_taken_back() {
    let mut desk = Desk::new(&[("a", "0")]);
    for task in 1..=3 {
        desk.command(task, |desk| desk.put("a", &task.to_string()));
    }
    for expected in ["2", "1", "0"] {
        assert_eq!(desk.undo().restored, ["a"]);
        assert_eq!(desk.text("a").unwrap(), expected);
    }
}

#[test]
fn a_crash_in_a_command_or_in_a_snapshot_loses_nothing() {
    let mut desk = Desk::new(&[("a", "old")]);
    desk.command(1, |desk| desk.put("a", "one"));
    // The router ended while this ran: nobody knows who made what.
    desk.begins(1);
    desk.put("a", "two");
    desk.put("b", "two");
    // And a snapshot was only begun.
    fs::write(desk.place.path().join("state/one/1700000009999.before"), "{").unwrap();
    let undone = desk.undo();
    assert_eq!((desk.text("a").unwrap().as_str(), desk.text("b")), ("old", None));
    assert_eq!([away(&undone, "a"), away(&undone, "b")], ["two", "two"]);
    desk.command(2, |_| {});
    assert!(!desk.place.path().join("state/one/1700000009999.before").exists());
}

#[test]
fn a_way_back_that_was_cut_short_goes_on() {
    let mut desk = Desk::new(&[("a", "old"), ("b", "old")]);
    desk.command(1, |desk| ["a", "b"].iter().for_each(|path| desk.put(path, "new")));
    // As it is after a crash: what is to do is written down, a is gone and not yet back.
    let task = format!("{:013}", 1_700_000_001_000u64);
    fs::write(desk.place.path().join(format!("state/one/{task}.rest")), r#"["a","b"]"#).unwrap();
    fs::remove_file(desk.project().join("a")).unwrap();
    let undone = desk.undo();
    assert_eq!((undone.restored, undone.kept), (vec!["a".to_owned(), "b".to_owned()], vec![]));
    assert_eq!(
        (desk.text("a").unwrap(), desk.text("b").unwrap()),
        ("old".to_owned(), "old".to_owned())
    );
}

#[test]
fn no_link_is_followed_in_or_out() {
    let mut desk = Desk::new(&[("src/a", "old")]);
    let outside = desk.place.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "not mine").unwrap();
    symlink(&outside, desk.project().join("way")).unwrap();
    desk.command(1, |desk| {
        fs::remove_dir_all(desk.project().join("src")).unwrap();
        symlink(&outside, desk.project().join("src")).unwrap();
    });
    let undone = desk.undo();
    assert_eq!(undone.restored, ["src", "src/a"]);
    assert_eq!(desk.text("src/a").unwrap(), "old");
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "not mine");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn what_tools_make_again_and_what_is_no_file_is_left_out_and_named() {
    let mut desk = Desk::new(&[("target/x", "x"), ("a", "old")]);
    desk.command(1, |desk| {
        desk.put("target/x", "y");
        desk.put("sub/node_modules/z", "z");
        desk.put("a", "new");
    });
    pipe(&desk.project().join("pipe"));
    let undone = desk.undo();
    assert_eq!(undone.left_out, ["pipe", "sub/node_modules", "target"]);
    assert_eq!(undone.restored, ["a"]);
    assert_eq!(undone.removed, Vec::<String>::new(), "a folder with something in it stays");
    assert_eq!(desk.text("target/x").unwrap(), "y");
}

fn pipe(path: &Path) {
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    nix::unistd::mkfifo(name.as_c_str(), nix::sys::stat::Mode::S_IRWXU).unwrap();
}

#[test]
fn contents_are_kept_once_and_the_oldest_task_longest() {
    let mut desk = Desk::new(&[("a", "0"), ("b", "same")]);
    for task in 1..=30 {
        desk.command(task, |desk| desk.put("a", &task.to_string()));
    }
    let room = desk.place.path().join("state/one");
    assert_eq!(fs::read_dir(room.join("blobs")).unwrap().count(), 11);
    let mut ways = 0;
    while desk.snapshots.next(Millis(desk.now)).unwrap().is_some() {
        assert_eq!(desk.undo().failed, Vec::<String>::new());
        ways += 1;
    }
    assert_eq!((ways, desk.text("a").unwrap().as_str()), (10, "0"));
    desk.command(40, |_| {});
    desk.now += 8 * 24 * 3_600 * 1_000;
    desk.command(41, |_| {});
    desk.undo();
    assert_eq!(desk.snapshots.undo(Millis(desk.now)).unwrap(), None, "it was too old");
}

#[test]
fn a_task_takes_in_no_task_of_another_folder() {
    let mut desk = Desk::new(&[("a", "0")]);
    let other = desk.place.path().canonicalize().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b"), "0").unwrap();
    desk.command(1, |desk| desk.put("a", "1"));
    desk.now += 1_000;
    let task = desk.snapshots.begin(&other, Some(Millis(2)), Millis(desk.now)).unwrap();
    fs::write(other.join("b"), "2").unwrap();
    desk.snapshots.ended(task).unwrap();
    for task in 3..=20 {
        desk.command(task, |desk| desk.put("a", &task.to_string()));
    }
    let mut ways = 0;
    while desk.snapshots.next(Millis(desk.now)).unwrap().is_some() {
        let undone = desk.undo();
        assert_eq!((undone.failed, undone.kept), (vec![], vec![]));
        ways += 1;
    }
    let other = fs::read_to_string(other.join("b")).unwrap();
    assert_eq!((ways, desk.text("a").unwrap().as_str(), other.as_str()), (10, "0", "0"));
}
