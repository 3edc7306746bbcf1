//! An ordinary user, whom permissions bind.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::desk::{self, Desk};

const USER: u32 = 65_534;

#[test]
fn what_keeps_its_owner_out_is_put_back_and_removed() {
    if nix::unistd::geteuid().is_root() {
        let place = tempfile::tempdir().unwrap();
        let exe = place.path().join("test");
        fs::copy(std::env::current_exe().unwrap(), &exe).unwrap();
        chown(place.path(), Some(USER), Some(USER)).unwrap();
        let mut command = Command::new(exe);
        command.uid(USER).gid(USER).current_dir(place.path()).env("TMPDIR", place.path());
        return desk::again("users::what_keeps_its_owner_out_is_put_back_and_removed", command);
    }
    let files = ["dark/in/a", "file", "mine/a", "shut/a", "shut/b"];
    let mut desk = Desk::new(&files.map(|path| (path, "old")));
    let project = desk.project();
    let set = |path: &str, mode| {
        fs::set_permissions(project.join(path), Permissions::from_mode(mode)).unwrap();
    };
    let mode = |path: &str| fs::metadata(project.join(path)).unwrap().permissions().mode() & 0o777;
    let modes = [("dark", 0o750), ("file", 0o640), ("mine", 0o500), ("shut", 0o555)];
    modes.iter().for_each(|(path, mode)| set(path, *mode));
    desk.command(1, |desk| {
        set("shut", 0o755);
        fs::remove_dir_all(project.join("shut")).unwrap();
        desk.put("dark/in/a", "new");
        desk.put("dark/in/made", "new");
        set("dark/in", 0o000);
        set("dark", 0o000);
        desk.put("file", "new");
        set("file", 0o000);
        desk.put("made/a", "new");
        set("made", 0o555);
    });
    let undone = desk.undo();
    let all = ["dark", "dark/in", "dark/in/a", "file", "shut", "shut/a", "shut/b"];
    assert_eq!((undone.failed, undone.kept), (vec![], vec![]));
    assert_eq!(undone.restored, all);
    assert_eq!(undone.removed, ["dark/in/made", "made", "made/a"]);
    assert_eq!(files.map(|path| desk.text(path).unwrap()), ["old"; 5]);
    assert_eq!(modes.map(|(path, _)| (path, mode(path))), modes);
}
