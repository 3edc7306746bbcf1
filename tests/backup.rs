//! A backup of a real home, and the way back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{Chat, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// Runs `safeclaw` for the home at `root`: its code, and what it said.
fn safeclaw(root: &Path, args: &[&str]) -> (Option<i32>, String) {
    let root = root.to_str().unwrap();
    let mut command = Command::new(SAFECLAW);
    command.args(["--home", root]).args(args).env_clear();
    let output = command.envs([("HOME", "/nonexistent"), ("PATH", "/usr/bin:/bin")]).output();
    let output = output.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// A home with a memory, a secret and a policy of its own.
fn lived_in() -> TempHome {
    let home = TempHome::greeting();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("Remember my name is Frankie.", "name = Frankie");
    chat.ask("/remember The key is under the pot.", "Noted.");
    assert_eq!(chat.end().code(), Some(0));
    home.put("router/.env", "X_TOKEN=a-secret-of-mine\n");
    home
}

/// A backup of `home` in a folder of its own.
fn backed_up(home: &TempHome, args: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.backup");
    let (code, said) = safeclaw(home.root(), &[&["backup", file.to_str().unwrap()], args].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(" files of "), "{said}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    (folder, file)
}

#[test]
fn what_was_lost_comes_back_and_what_stood_there_is_kept() {
    let home = lived_in();
    let (_folder, file) = backed_up(&home, &[]);
    let file = file.to_str().unwrap();
    let (code, said) = safeclaw(home.root(), &["backup", file]);
    assert_eq!((code, said.contains("is there already")), (Some(1), true), "{said}");
    home.put("workspace/memory.json", "{\"name\": \"Mallory\"}");
    for gone in ["input_history.json", "memory.md"] {
        fs::remove_file(home.root().join("workspace").join(gone)).unwrap();
    }
    // What can't be read is there all the same: nobody reads a folder as a file.
    let unreadable = home.root().join("workspace/SOUL.md");
    let soul = fs::read(&unreadable).unwrap();
    fs::remove_file(&unreadable).unwrap();
    fs::create_dir(&unreadable).unwrap();
    let (code, said) = safeclaw(home.root(), &["restore", file, "--dry-run"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("replaces workspace/memory.json"), "{said}");
    assert!(said.contains("replaces workspace/SOUL.md"), "{said}");
    fs::remove_dir(&unreadable).unwrap();
    fs::write(&unreadable, soul).unwrap();
    assert!(said.contains("new      workspace/input_history.json"), "{said}");
    assert!(home.text("workspace/memory.json").contains("Mallory"));
    let (code, said) = safeclaw(home.root(), &["restore", file]);
    assert_eq!((code, said.contains("pass --yes")), (Some(1), true), "{said}");
    let (code, said) = safeclaw(home.root(), &["restore", file, "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(home.text("workspace/memory.json").contains("Frankie"));
    assert!(home.text("workspace/memory.md").contains("The key is under the pot."));
    assert!(home.text("workspace/input_history.json").contains("Frankie"));
    let kept = said.split_once("is in ").unwrap().1.lines().next().unwrap();
    let kept = fs::read_to_string(Path::new(kept).join("workspace/memory.json")).unwrap();
    assert!(kept.contains("Mallory"), "{kept}");
    // The secrets were not in it, and are where they were.
    assert!(home.text("router/.env").contains("a-secret-of-mine"));
    assert!(said.contains("holds no secrets"), "{said}");
    let left: Vec<_> =
        fs::read_dir(home.root()).unwrap().flatten().map(|it| it.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".restore-")), "{left:?}");
}

#[test]
fn with_a_passphrase_the_secrets_come_along_and_nobody_else_opens_it() {
    let home = lived_in();
    let folder = tempfile::tempdir().unwrap();
    let [right, wrong] = ["right", "wrong"].map(|name| {
        let path = folder.path().join(name);
        fs::write(&path, format!("{name} horse\n")).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let (_folder, file) = backed_up(&home, &["--passphrase-file", &right]);
    let bytes = fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"age-encryption.org/v1"), "it is encrypted");
    let file = file.to_str().unwrap();
    let fresh = tempfile::tempdir().unwrap();
    let (code, said) = safeclaw(fresh.path(), &["restore", file, "--yes"]);
    assert_eq!((code, said.contains("--passphrase-file")), (Some(1), true), "{said}");
    let (code, said) =
        safeclaw(fresh.path(), &["restore", file, "--yes", "--passphrase-file", &wrong]);
    assert_eq!((code, said.contains("does not open")), (Some(1), true), "{said}");
    assert!(!fresh.path().join("workspace").exists());
    let (code, said) =
        safeclaw(fresh.path(), &["restore", file, "--yes", "--passphrase-file", &right]);
    assert_eq!(code, Some(0), "{said}");
    let secrets = fresh.path().join("router/.env");
    assert!(fs::read_to_string(&secrets).unwrap().contains("a-secret-of-mine"));
    assert_eq!(fs::metadata(&secrets).unwrap().permissions().mode() & 0o777, 0o600);
    let mut chat = Chat::start(SAFECLAW, &[], fresh.path(), &[]);
    chat.ask("/memory", "name: Frankie");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_broken_backup_and_a_home_at_work_change_nothing() {
    let home = lived_in();
    let (_folder, file) = backed_up(&home, &[]);
    let whole = fs::read(&file).unwrap();
    home.put("workspace/memory.json", "{}");
    for broken in [&whole[..whole.len() / 2], b"no backup at all", b""] {
        fs::write(&file, broken).unwrap();
        let (code, said) = safeclaw(home.root(), &["restore", file.to_str().unwrap(), "--yes"]);
        assert_eq!((code, said.contains("is no whole backup")), (Some(1), true), "{said}");
    }
    fs::write(&file, &whole).unwrap();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    let (code, said) = safeclaw(home.root(), &["restore", file.to_str().unwrap(), "--yes"]);
    assert_eq!((code, said.contains("works here already")), (Some(1), true), "{said}");
    assert_eq!(home.text("workspace/memory.json"), "{}");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_restore_that_does_nothing_leaves_no_home_behind() {
    let home = lived_in();
    let (folder, file) = backed_up(&home, &[]);
    let broken = folder.path().join("broken.backup");
    fs::write(&broken, "no backup").unwrap();
    let new = folder.path().join("a/new-home");
    let restore = |file: &Path, how| safeclaw(&new, &["restore", file.to_str().unwrap(), how]);
    let (code, said) = restore(&broken, "--yes");
    assert_eq!((code, said.contains("is no whole backup")), (Some(1), true), "{said}");
    assert!(!folder.path().join("a").exists());
    assert_eq!(restore(&file, "--dry-run").0, Some(0));
    assert!(!folder.path().join("a").exists());
    assert_eq!(restore(&file, "--yes").0, Some(0));
    assert!(new.join("workspace/memory.json").exists());
}

#[test]
fn a_disk_that_is_full_is_no_fault_of_the_backup() {
    let home = lived_in();
    let (_folder, file) = backed_up(&home, &[]);
    home.put("workspace/memory.json", "{}");
    // The shell's limit on a file's size stands for a full disk.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" --home \"$1\" restore \"$2\" --yes"])
        .args([Path::new(SAFECLAW), home.root(), &file])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let told = format!("can't unpack the backup in {}", home.root().display());
    assert_eq!((output.status.code(), said.contains(&told)), (Some(1), true), "{said}");
    assert_eq!(home.text("workspace/memory.json"), "{}");
    let (code, said) = safeclaw(home.root(), &["backup", "/no/such/folder/one.backup"]);
    let told = "can't write /no/such/folder/one.backup: No such file or directory (os error 2)\n";
    assert_eq!((code, said.contains(told)), (Some(1), true), "{said}");
}

#[test]
fn a_link_in_the_home_is_not_followed() {
    let home = lived_in();
    home.put("workspace/personas/Ann.md", "x");
    let (_folder, file) = backed_up(&home, &[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let fresh = tempfile::tempdir().unwrap();
    fs::create_dir(fresh.path().join("workspace")).unwrap();
    symlink(elsewhere.path(), fresh.path().join("workspace/personas")).unwrap();
    let (code, said) = safeclaw(fresh.path(), &["restore", file.to_str().unwrap(), "--yes"]);
    assert_eq!((code, said.contains("workspace/personas is a link")), (Some(1), true), "{said}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    let left = fs::read_dir(fresh.path()).unwrap().flatten().map(|entry| entry.file_name());
    let is_changed = |name: &OsString| name != "workspace" && name != "change.lock";
    assert_eq!(left.filter(is_changed).count(), 0, "nothing was changed");
    // Nor is one in what is backed up, and it is told.
    fs::rename(home.root().join("workspace/personas"), elsewhere.path().join("own")).unwrap();
    symlink(elsewhere.path().join("own"), home.root().join("workspace/personas")).unwrap();
    let other = file.with_file_name("other.backup");
    let (code, said) = safeclaw(home.root(), &["backup", other.to_str().unwrap()]);
    assert_eq!((code, said.contains("\"workspace/personas\": a link")), (Some(0), true), "{said}");
}

#[test]
fn what_a_killed_restore_has_left_behind_is_removed_by_the_next_one() {
    let home = lived_in();
    let (_folder, file) = backed_up(&home, &[]);
    let killed = home.root().join(".restore-of-before");
    fs::create_dir(&killed).unwrap();
    fs::write(killed.join(".env"), "X_TOKEN=a-secret-of-mine\n").unwrap();
    let at_work = home.root().join(".restore-at-work");
    fs::create_dir(&at_work).unwrap();
    let held = fs::File::open(&at_work).unwrap();
    held.lock().unwrap();
    let (code, said) = safeclaw(home.root(), &["restore", file.to_str().unwrap(), "--dry-run"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!killed.exists() && at_work.exists());
}

#[test]
fn a_skill_of_the_owners_runs_in_another_home_with_all_of_its_files() {
    let home = TempHome::new();
    let script =
        "printf '{\"status\":\"ok\",\"data\":{\"read\":\"%s\"}}\\n' \"$(cat /skill/uv.lock)\"";
    home.put_script("own_words", "none", script);
    home.put("router/skills/own_words/uv.lock", "pinned-words");
    const OTHERS: [&str; 3] = [
        "workspace/output/library.db.md",
        "router/data/own_words/state.lock",
        "workspace/files/.draft-1",
    ];
    OTHERS.iter().for_each(|path| home.put(path, "an essay"));
    for shared in ["run", "uv.lock"] {
        let path = home.root().join("router/skills/own_words").join(shared);
        let mode = if shared == "run" { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let runs = |root: &Path| {
        let mut chat = Chat::start(SAFECLAW, &[], root, &[]);
        chat.ask("/run OWN_WORDS {}", "pinned-words");
        assert_eq!(chat.end().code(), Some(0));
    };
    runs(home.root());
    let (_folder, file) = backed_up(&home, &[]);
    let fresh = tempfile::tempdir().unwrap();
    let (code, said) = safeclaw(fresh.path(), &["restore", file.to_str().unwrap(), "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    for path in OTHERS {
        assert_eq!(fs::read_to_string(fresh.path().join(path)).unwrap(), "an essay", "{path}");
    }
    runs(fresh.path());
}

#[test]
fn a_name_that_can_not_be_listed_is_told_and_stops_nothing() {
    let home = lived_in();
    home.put("workspace/output/a\nb.md", "x");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.backup");
    let (code, said) = safeclaw(home.root(), &["backup", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("control characters"), "{said}");
    assert!(said.contains("\"workspace/output/a\\nb.md\""), "{said}");
    let fresh = tempfile::tempdir().unwrap();
    let (code, said) = safeclaw(fresh.path(), &["restore", file.to_str().unwrap(), "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(fresh.path().join("workspace/memory.json").exists());
}

#[test]
fn the_audit_log_of_a_home_goes_on_over_a_restore() {
    let home = TempHome::new();
    home.put_script("own_words", "none", "printf '{\"status\":\"ok\",\"data\":{}}\\n'");
    let runs = || {
        let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
        chat.ask("/run OWN_WORDS {}", "OWN_WORDS");
        assert_eq!(chat.end().code(), Some(0));
    };
    let log = || home.text("router/audit/router-1.jsonl");
    runs();
    let (_folder, file) = backed_up(&home, &[]);
    runs();
    let (before, file) = (log(), file.to_str().unwrap());
    home.put("workspace/SOUL.md", "another one");
    let (code, said) = safeclaw(home.root(), &["restore", file, "--yes"]);
    assert_eq!(
        (code, said.contains("audit logs of the backup are left out")),
        (Some(0), true),
        "{said}"
    );
    assert_eq!(log(), before);
    // Another home has none, and gets it.
    let fresh = tempfile::tempdir().unwrap();
    let (code, said) = safeclaw(fresh.path(), &["restore", file, "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    let log = fs::read_to_string(fresh.path().join("router/audit/router-1.jsonl")).unwrap();
    assert!(before.starts_with(&log) && log.len() < before.len());
}
