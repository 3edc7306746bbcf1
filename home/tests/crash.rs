//! Processes that are killed, or run out of space, while they use the house.
//!
//! Each test starts itself again as a process of its own: the child is told its part by [`PART`] and its
//! folder by its current directory.
#![allow(clippy::unwrap_used, reason = "this whole file is tests")]
#![allow(clippy::disallowed_types, reason = "the tests need processes that they can kill")]
#![allow(clippy::disallowed_methods, reason = "the child is told its part by the environment")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it has found")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use home::{Lock, LockError, file};

const PART: &str = "HOME_TEST_PART";
const SIZE: usize = 1 << 20;

fn is_child() -> bool {
    std::env::var_os(PART).is_some()
}

/// Starts `test` of this file again as a child in `folder`, through the shell line `start` if any.
fn child(test: &str, folder: &Path, start: &[&str]) -> Command {
    let this = std::env::current_exe().unwrap();
    let mut line: Vec<_> = start.iter().map(|word| (*word).to_owned()).collect();
    line.push(this.to_str().unwrap().to_owned());
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).args(["--exact", test, "--nocapture"]);
    command.current_dir(folder).env(PART, "child").stdout(Stdio::piped());
    command
}

/// Waits until the child has said `word` on a line of its own.
fn wait_for(word: &str, child: &mut Child) {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == word), "the child never said {word}");
}

#[test]
fn a_killed_writer_leaves_a_whole_version() {
    if is_child() {
        for byte in (b'a'..=b'z').cycle() {
            file::write(Path::new("memory.json"), &vec![byte; SIZE]).unwrap();
            println!("\nwritten");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.json");
    for round in 0..40 {
        let mut writer =
            child("a_killed_writer_leaves_a_whole_version", folder.path(), &[]).spawn().unwrap();
        // The next write has begun by the time that the last word arrives here.
        for _ in 0..=round % 3 {
            wait_for("written", &mut writer);
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), SIZE, "round {round}");
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "round {round}: two versions mixed");
    }
    file::remove_drafts(folder.path()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the file itself is left");
}

#[test]
fn a_write_without_space_leaves_the_old_version_and_no_draft() {
    if is_child() {
        let error = file::write(Path::new("memory.json"), &vec![b'x'; SIZE]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("can't write memory.json"), "{error}");
        println!("\nrefused");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("memory.json"), "the old version").unwrap();
    // A limit on the size of files stops the write half-way, as a full disk does, for root as well.
    let limit = ["sh", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""];
    let test = "a_write_without_space_leaves_the_old_version_and_no_draft";
    let mut writer = child(test, folder.path(), &limit).spawn().unwrap();
    wait_for("refused", &mut writer);
    assert!(writer.wait().unwrap().success());
    let left = fs::read_to_string(folder.path().join("memory.json")).unwrap();
    assert!(left == "the old version", "{} bytes were left instead", left.len());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft was left behind");
}

#[test]
fn the_lock_of_a_killed_process_is_free_again() {
    if is_child() {
        let _lock = Lock::take(Path::new("agent.lock")).unwrap();
        println!("\nlocked");
        std::thread::park();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.lock");
    let mut holder =
        child("the_lock_of_a_killed_process_is_free_again", folder.path(), &[]).spawn().unwrap();
    wait_for("locked", &mut holder);
    match Lock::take(&path) {
        Err(LockError::Taken { pid, .. }) => assert_eq!(pid, Some(holder.id())),
        other => panic!("{other:?}"),
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
    Lock::take(&path).unwrap();
}
