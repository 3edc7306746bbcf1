//! A home of the first format under today's program: read, upgraded, and taken back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

mod meanwhile;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use testkit::{Chat, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// The program with `args`, for the home at `root`.
fn command(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(SAFECLAW);
    command.args(["--home", root.to_str().unwrap()]).args(args).env_clear();
    command.envs([("HOME", "/nonexistent"), ("PATH", "/usr/bin:/bin")]).stdin(Stdio::null());
    command
}

/// Runs it: its code, and what it said.
fn safeclaw(root: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = command(root, args).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// The same where it goes well.
#[track_caller]
fn done(root: &Path, args: &[&str]) -> String {
    let (code, said) = safeclaw(root, args);
    assert_eq!(code, Some(0), "{args:?}: {said}");
    said
}

/// Every file below `folder` by its path there, but for locks and logs.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            let inner = path.strip_prefix(folder).unwrap().to_owned();
            let name = inner.to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if !name.ends_with(".lock") && !name.ends_with(".log") {
                found.insert(inner, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// A home as the first commits that wrote its files left it.
fn first_format() -> TempHome {
    let home = TempHome::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1");
    for (path, bytes) in files(&fixture) {
        home.put(&path, &bytes);
        // A checkout may have other modes, and a skill's pin counts them.
        let path = home.root().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    fs::remove_file(home.root().join("README.md")).unwrap();
    home.put(".env", "COMMAND_QUEUE=safeclaw:command_queue\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(KEPT.as_bytes()).unwrap();
    home.put("router/data/library/texts/70a020721149f78b.json.gz", packed.finish().unwrap());
    home
}

/// A document of the library.
const KEPT: &str = r#"{"kind":"kb","element":"txt","role":"admin","place":"/home/frankie/pot.txt","name":"pot.txt","own":true,
"changed_at":1763798400000,"bytes":32,"created_at":1763798400000,"document":{"sections":[{"text":"The pot stands behind the house."}]}}"#;

/// What the home's number is.
fn format(root: &Path) -> Value {
    match fs::read(root.join("format.json")) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap(),
        Err(_) => json!({"format": 1}),
    }
}

#[test]
fn every_file_of_the_first_format_is_read() {
    let home = first_format();
    let doctor = safeclaw(home.root(), &["doctor", "--json"]).1;
    let doctor: Value = serde_json::from_str(&doctor).unwrap();
    let checks = doctor["checks"].as_array().unwrap();
    let check = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    assert_eq!(check("format")["status"], "warn", "{doctor:#}");
    assert!(check("format")["mend"].as_str().unwrap().contains("upgrade`"));
    assert!(check("kill switch")["seen"].as_str().unwrap().contains("is stopped"), "{doctor:#}");
    // Its audit has no chain, which the first router of today's writes down.
    let failed = checks.iter().filter(|check| check["status"] == "fail");
    assert!(failed.clone().all(|check| check["name"] == "audit"), "{doctor:#}");
    done(home.root(), &["resume"]);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    for (asked, answered) in [
        ("/memory", "name: Frankie"),
        ("/memory", "The key is under the pot."),
        ("/sessions", "Plans for Köln"),
        ("/jobs", "call Max"),
        ("/log 2025-11-22", "Remember my name is Frankie."),
        ("/grants", "HELLO_WORLD"),
        ("/agents", "pirate"),
        ("Say hello to Frankie.", "Hello, Frankie"),
        ("/open 1", "Köln"),
    ] {
        chat.ask(asked, answered);
    }
    assert_eq!(chat.end().code(), Some(0));
    let verified = done(home.root(), &["router", "audit", "verify"]);
    assert!(verified.contains("router-1"), "{verified}");
    let listed = done(home.root(), &["storm", "list"]);
    assert!(listed.contains("weekend"), "{listed}");
    let found = done(home.root(), &["router", "library", "list"]);
    assert!(found.contains("pot.txt"), "{found}");
    let left: Vec<PathBuf> = files(home.root()).into_keys().collect();
    let broken = left.iter().find(|path| path.to_string_lossy().contains(".broken-"));
    assert_eq!(broken, None, "nothing was set aside as broken");
    assert_eq!(format(home.root())["format"], 1, "nobody has upgraded it");
}

#[test]
fn an_upgrade_is_proved_and_a_rollback_gives_every_byte_back_and_keeps_what_came_since() {
    let home = first_format();
    let before = files(home.root());
    let said = done(home.root(), &["upgrade", "--dry-run"]);
    assert!(said.contains("has format 1") && said.contains("nothing was changed"), "{said}");
    assert_eq!(files(home.root()), before);
    let (code, said) = safeclaw(home.root(), &["rollback", "--yes"]);
    assert_eq!((code, said.contains("was never upgraded")), (Some(1), true), "{said}");

    let said = done(home.root(), &["upgrade"]);
    assert!(said.contains("has format 2 now") && said.contains("found the same"), "{said}");
    let told = format(home.root());
    assert_eq!((&told["format"], &told["upgraded"]["from"]), (&json!(2), &json!(1)));
    let copy = home.root().join(told["upgraded"]["copy"].as_str().unwrap());
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(done(home.root(), &["upgrade"]).contains("nothing to upgrade"));

    done(home.root(), &["resume"]);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("Remember my name is Mallory.", "name = Mallory");
    chat.ask("/new", "");
    assert_eq!(chat.end().code(), Some(0));
    home.put("router/policy.toml", "[effects]\nnone = \"allow\"\n");
    let since = files(home.root());

    let said = done(home.root(), &["rollback", "--dry-run"]);
    assert!(said.contains("kept and replaced  workspace/memory.json"), "{said}");
    assert_eq!(files(home.root()), since);
    let (code, said) = safeclaw(home.root(), &["rollback"]);
    assert_eq!((code, said.contains("pass --yes")), (Some(1), true), "{said}");
    let said = done(home.root(), &["rollback", "--yes"]);
    assert!(said.contains("it has format 1 again"), "{said}");
    let kept = PathBuf::from(said.split_once("since is in ").unwrap().1.trim());
    let after = files(home.root());
    for (path, bytes) in &before {
        assert_eq!(after.get(path), Some(bytes), "{}", path.display());
    }
    // What else is there is what is no part of a copy, and what was kept.
    for (path, bytes) in since.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)) {
        let is_kept = fs::read(kept.join(path)).is_ok_and(|kept| kept == *bytes);
        let stands = after.get(path) == Some(bytes);
        assert!(is_kept || stands || path == Path::new("format.json"), "{}", path.display());
    }
    assert!(fs::read_to_string(kept.join("workspace/memory.json")).unwrap().contains("Mallory"));
    done(home.root(), &["resume"]);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/memory", "name: Frankie");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_rollback_follows_no_link_gets_past_folders_and_does_not_lift_the_kill_switch() {
    let home = first_format();
    done(home.root(), &["resume"]);
    home.put("workspace/personas/Ann.md", "Ann");
    done(home.root(), &["upgrade"]);
    // An agent can do this in its workspace.
    let (personas, elsewhere) =
        (home.root().join("workspace/personas"), tempfile::tempdir().unwrap());
    fs::remove_dir_all(&personas).unwrap();
    symlink(elsewhere.path(), &personas).unwrap();
    let (code, said) = safeclaw(home.root(), &["rollback", "--yes"]);
    assert_eq!((code, said.contains("workspace/personas is a link")), (Some(1), true), "{said}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);

    fs::remove_file(&personas).unwrap();
    // Folders stand where files were.
    home.put("workspace/personas/Ann.md/since.md", "since");
    let policy = home.root().join("router/policy.toml");
    let text = fs::read_to_string(&policy).unwrap();
    fs::remove_file(&policy).unwrap();
    home.put("router/policy.toml/since.md", "since");
    symlink("since.md", policy.join("link")).unwrap();
    done(home.root(), &["stop"]);
    let switch: Vec<_> = fs::read_dir(home.root().join("router/state/switch")).unwrap().collect();
    assert_eq!(switch.len(), 1);
    let said = done(home.root(), &["rollback", "--yes"]);
    assert_eq!(
        (home.text("workspace/personas/Ann.md"), home.text("router/policy.toml")),
        ("Ann".to_owned(), text)
    );
    let kept = PathBuf::from(said.split_once("since is in ").unwrap().1.trim());
    assert_eq!(
        fs::read_to_string(kept.join("workspace/personas/Ann.md/since.md")).unwrap(),
        "since"
    );
    assert!(switch[0].as_ref().unwrap().path().exists(), "everything is still stopped");
}

#[test]
fn a_new_home_has_the_newest_format_and_a_home_at_work_is_not_upgraded() {
    let home = TempHome::greeting();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("Say hello to Frankie.", "Hello, Frankie");
    assert_eq!(format(home.root())["format"], 2);
    fs::remove_file(home.root().join("format.json")).unwrap();
    let (code, said) = safeclaw(home.root(), &["upgrade"]);
    assert_eq!((code, said.contains("works here already")), (Some(1), true), "{said}");
    assert_eq!(format(home.root())["format"], 1);
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn an_older_program_refuses_a_newer_home_and_finds_the_way_back() {
    let home = first_format();
    let before = files(home.root());
    done(home.root(), &["upgrade"]);
    let mut newer = format(home.root());
    newer["format"] = json!(99);
    newer["by"] = json!("9.0.0");
    newer["a_key_of_then"] = json!(true);
    home.put("format.json", newer.to_string());
    let untouched = files(home.root());
    for args in [
        &["-p", "/status"][..],
        &["init", "--yes"],
        &["agent", "config", "llm"],
        &["router", "skills"],
        &["router", "stop"],
        &["upgrade"],
    ] {
        let (code, said) = safeclaw(home.root(), args);
        assert_ne!(code, Some(0), "{args:?}: {said}");
        assert!(said.contains("has format 99, written by SafeClaw 9.0.0"), "{args:?}: {said}");
        assert!(said.contains("rollback`"), "{args:?}: {said}");
    }
    let backup = home.root().join("of-a-newer-one.tar.gz");
    done(home.root(), &["backup", backup.to_str().unwrap()]);
    let (code, said) = safeclaw(home.root(), &["restore", backup.to_str().unwrap(), "--yes"]);
    assert_eq!((code, said.contains("holds a home of format 99")), (Some(1), true), "{said}");
    fs::remove_file(&backup).unwrap();
    assert_eq!(files(home.root()), untouched);
    done(home.root(), &["rollback", "--yes"]);
    let after = files(home.root());
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    assert_eq!(format(home.root())["format"], 1);
}

/// Starts the program and kills it once `is_time`, if it has not ended by then; says whether it had.
fn cut_off(root: &Path, args: &[&str], is_time: impl Fn() -> bool) -> bool {
    let mut running = command(root, args);
    let mut running = running.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_time() {
        if running.try_wait().unwrap().is_some() {
            return true;
        }
        std::hint::spin_loop();
    }
    running.kill().unwrap();
    running.wait().unwrap();
    false
}

/// How many files a rollback of the home has kept by now.
fn count_kept(root: &Path) -> usize {
    let folders = fs::read_dir(root).unwrap().flatten().map(|entry| entry.path());
    let kept = folders.filter(|path| path.to_string_lossy().contains("before-rollback-"));
    kept.map(|folder| fs::read_dir(folder.join("workspace/output")).map_or(0, Iterator::count))
        .sum()
}

/// How many files more a home has, so that each step takes a while.
const FILES: usize = 100;

/// A home with more in it.
fn large() -> TempHome {
    let home = first_format();
    for number in 0..FILES {
        home.put(format!("workspace/output/{number}.txt"), format!("{number} ").repeat(2_000));
    }
    home
}

#[test]
fn an_upgrade_that_is_killed_leaves_the_old_home_or_the_new_one() {
    let home = large();
    let before = files(home.root());
    let started = Instant::now();
    done(large().root(), &["upgrade"]);
    let step = started.elapsed() / 16;
    let mut killed = 0;
    for count in 1_u32.. {
        let until = Instant::now() + step * count;
        let has_ended = cut_off(home.root(), &["upgrade"], || Instant::now() >= until);
        let told = format(home.root());
        let now = files(home.root());
        assert!(before.iter().all(|(path, bytes)| now.get(path) == Some(bytes)));
        if told["format"] == 2 {
            let copy = home.root().join(told["upgraded"]["copy"].as_str().unwrap());
            let fresh = tempfile::tempdir().unwrap();
            done(fresh.path(), &["restore", copy.to_str().unwrap(), "--yes"]);
            break;
        }
        assert!(!has_ended, "it has ended, and the home is the old one");
        assert_eq!(told["format"], 1);
        killed += 1;
    }
    assert!(killed > 3, "it was killed {killed} times only");
    let halves = fs::read_dir(home.root().join("before-upgrade")).unwrap().flatten();
    let halves = halves.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(halves.count(), 0, "what the killed ones left is gone");
}

/// Kills a rollback as soon as it has begun, and then the next one as soon as it has gone on a little, and has the last one finish;
/// says whether one was killed in the middle.
fn is_killed_in_the_middle(root: &Path) -> bool {
    let is_half = || format(root)["rolling_back"] == true;
    let mut halves = 0;
    for moved in [0, FILES / 2] {
        let has_gone_on = || is_half() && count_kept(root) >= moved;
        cut_off(root, &["rollback", "--yes"], has_gone_on);
        if is_half() {
            halves += 1;
            let (code, said) = safeclaw(root, &["-p", "/status"]);
            assert_ne!(code, Some(0));
            assert!(said.contains("rollback --yes` finishes it"), "{said}");
        }
    }
    if is_half() {
        done(root, &["rollback", "--yes"]);
    }
    halves > 0
}

#[test]
fn a_rollback_that_is_killed_lets_nobody_in_until_it_has_been_finished() {
    let upgraded = || {
        let home = large();
        let before = files(home.root());
        done(home.root(), &["upgrade"]);
        for number in 0..FILES {
            home.put(format!("workspace/output/{number}.txt"), "since");
            home.put(format!("workspace/output/{number}-since.txt"), "since");
        }
        (home, before)
    };
    // On a busy machine one may end before anybody can kill it.
    let halves = (0..20).map(|_| upgraded()).find(|(home, _)| is_killed_in_the_middle(home.root()));
    let (home, before) = halves.expect("it was never killed in the middle");
    assert_eq!(format(home.root())["format"], 1);
    let after = files(home.root());
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    assert!(!after.contains_key(Path::new("workspace/output/7-since.txt")));
    let kept = fs::read_dir(home.root()).unwrap().flatten().map(|entry| entry.path());
    let kept: Vec<PathBuf> =
        kept.filter(|path| path.to_string_lossy().contains("before-rollback-")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    for number in 0..FILES {
        for name in [format!("{number}.txt"), format!("{number}-since.txt")] {
            let kept = fs::read(kept[0].join("workspace/output").join(&name)).unwrap();
            assert_eq!(kept, b"since", "{name}");
        }
    }
}
