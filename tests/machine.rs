//! `/exec`, `/read` and the actions of the machine in the whole house: real processes, real folders, no model.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use testkit::{Chat, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// A folder that whoever runs skills may read, with something in it that is denied.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().canonicalize().unwrap();
    for inner in ["open", "keys", "out"] {
        fs::create_dir(path.join(inner)).unwrap();
    }
    fs::write(path.join("open/todo.txt"), "buy seven oranges\n").unwrap();
    fs::write(path.join("open/large.txt"), "x".repeat(600 * 1024)).unwrap();
    fs::write(path.join("keys/secret.txt"), "the-secret-of-keys").unwrap();
    symlink(path.join("keys/secret.txt"), path.join("open/link")).unwrap();
    symlink("/etc/passwd", path.join("open/away")).unwrap();
    (folder, path)
}

fn house(folder: &std::path::Path) -> TempHome {
    let home = TempHome::new();
    let at = folder.display();
    home.put(
        "router/governance.json",
        format!(
            r#"{{"commands": {{"allow": ["cat", "echo", "ls", "pwd", "sleep"], "deny": ["rm"], "requireConfirmation": ["cp"]}},
            "paths": {{"allowed": ["{at}/open", "{at}"], "writable": ["{at}/out"], "denied": ["{at}/keys"]}}}}"#
        ),
    );
    home
}

/// What a chat from a pipe prints, on stdout and on stderr.
fn piped(home: &TempHome, lines: &[&str]) -> (String, String) {
    use std::io::Write;
    let mut command = Command::new(SAFECLAW);
    command.arg("--home").arg(home.root()).stdin(Stdio::piped());
    let mut chat = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    chat.stdin.take().unwrap().write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    let Output { stdout, stderr, .. } = chat.wait_with_output().unwrap();
    (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_line_runs_where_its_folder_is_and_nowhere_else() {
    let (_kept, at) = folder();
    let home = house(&at);
    let shown = at.display();
    let lines = [
        "/exec pwd && ls".to_owned(),
        "/exec cat todo.txt | cat".to_owned(),
        format!("/exec ls {shown}/keys {shown}/open/link"),
        format!("/exec cat {shown}/k*/s* {shown}/open/l*k"),
        format!("/exec echo made > {shown}/out/new.txt && cat {shown}/out/new.txt"),
        "/exec cat away".to_owned(),
        "/exec rm todo.txt".to_owned(),
    ];
    let (said, told) = piped(&home, &lines.each_ref().map(String::as_str));
    let all = format!("{said}\n{told}");
    // Where the place's own /tmp leads, another beginning is shown.
    let begins = at.file_name().unwrap().to_str().unwrap();
    assert!(said.contains(&format!("/{begins}/open\n")), "{all}");
    assert!(said.contains("todo.txt") && said.contains("buy seven oranges"), "{all}");
    assert!(!all.contains("the-secret-of-keys"), "{all}");
    assert!(said.contains("made"), "{all}");
    assert_eq!(fs::read_to_string(at.join("out/new.txt")).unwrap(), "made\n");
    assert!(!all.contains("root:x:0"), "{all}");
    assert!(all.contains("commands.deny holds \"rm\""), "{all}");
    assert!(at.join("open/todo.txt").exists());
}

#[test]
fn a_file_is_read_and_a_folder_listed_within_what_is_open() {
    let (_kept, at) = folder();
    let home = house(&at);
    let shown = at.display();
    let lines = [
        "/read todo.txt".to_owned(),
        format!("/read {shown}/open"),
        format!("/read {shown}/keys/secret.txt"),
        format!("/read {shown}/open/link"),
        "/read large.txt".to_owned(),
        "/read /etc/passwd".to_owned(),
    ];
    let (said, told) = piped(&home, &lines.each_ref().map(String::as_str));
    let all = format!("{said}\n{told}");
    assert!(said.contains("buy seven oranges") && said.contains("large.txt"), "{all}");
    assert!(!all.contains("the-secret-of-keys") && !all.contains("root:x:0"), "{all}");
    assert!(all.contains("614400 bytes, and at most 524288 are read"), "{all}");
    assert!(all.contains("lies in no folder that is open"), "{all}");
}

#[test]
fn a_line_that_sees_no_folder_of_yours_says_how_one_is_opened() {
    let opens = "paths.allowed in router/governance.json opens one";
    let (said, told) = piped(&TempHome::new(), &["/exec ls", "/exec pwd"]);
    assert_eq!(said.matches(opens).count(), 1, "an output stands alone: {said}\n{told}");
    let (_kept, at) = folder();
    let home = house(&at);
    let (said, told) = piped(&home, &[&format!("/exec ls {}/out", at.display())]);
    assert!(said.contains("(no output)") && !said.contains(opens), "{said}\n{told}");
}

#[test]
fn a_file_goes_into_the_chat_and_is_found_by_its_name_and_by_its_text() {
    let (_kept, at) = folder();
    let home = house(&at);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.say("/sets on machine");
    chat.expect("machine");
    chat.say(r#"/run SEND_FILE {"path": "todo.txt"}"#);
    chat.expect("todo.txt");
    chat.expect("SEND_FILE: ok");
    assert_eq!(home.text("workspace/output/todo.txt"), "buy seven oranges\n");
    chat.say(r#"/run FIND_FILES {"name": "TODO*"}"#);
    chat.expect("open/todo.txt");
    chat.say(r#"/run GREP_FILES {"pattern": "seven .ranges"}"#);
    chat.expect("todo.txt:1:buy seven oranges");
}

#[test]
fn a_line_is_explained_and_a_mistake_is_named() {
    let home = TempHome::new();
    let run = |words: &[&str]| {
        let mut command = Command::new(SAFECLAW);
        command.args(["router", "governance"]).args(words).arg("--home").arg(home.root());
        let done = command.stdin(Stdio::null()).output().unwrap();
        (String::from_utf8(done.stdout).unwrap(), done.status.success())
    };
    let (text, is_ok) = run(&["explain", "ls | env rm x"]);
    assert!(
        !is_ok && text.contains("commands.deny holds \"rm\"") && text.contains("The line: deny"),
        "{text}"
    );
    let (text, is_ok) = run(&["explain", "git push"]);
    assert!(is_ok && text.contains("The line: ask"), "{text}");
    let (text, is_ok) = run(&["check"]);
    assert!(is_ok && text.contains("no folder is open"), "{text}");
    home.put("router/governance.json", r#"{"commands": {"requireConfirm": ["ls"]}}"#);
    let (text, is_ok) = run(&["check"]);
    assert!(!is_ok && text.contains("did you mean commands.requireConfirmation?"), "{text}");
}

#[test]
fn what_the_owner_mistypes_stops_nothing() {
    let (_kept, at) = folder();
    let home = house(&at);
    let wrong = [
        "/exec python3 x",
        "/read none.txt",
        "/exec perl y",
        "/read keys/secret.txt",
        "/exec ruby z",
    ];
    let (said, told) = piped(&home, &[&wrong[..], &["/exec echo still there"]].concat());
    assert!(!told.contains("is stopped"), "{said}\n{told}");
    assert!(said.lines().any(|line| line == "still there"), "{said}\n{told}");
}

#[test]
fn one_message_ends_as_its_line_did_and_a_broken_file_is_named_as_the_reason() {
    let (_kept, at) = folder();
    let home = house(&at);
    let says = |text: &str| {
        let mut command = Command::new(SAFECLAW);
        command.args(["-p", text, "--home"]).arg(home.root()).stdin(Stdio::null());
        let done = command.output().unwrap();
        let told = [done.stdout, done.stderr].concat();
        (done.status.code(), String::from_utf8(told).unwrap())
    };
    let (code, told) = says("/exec ls");
    assert_eq!(code, Some(0), "{told}");
    let (code, told) = says("/exec cat none.txt");
    assert!(code == Some(1) && told.contains("(exit code 1)"), "{code:?}: {told}");
    // What another process has asked about is told as where it was asked.
    let (code, told) = says("/exec cp todo.txt ../out/a.txt && cat todo.txt todo.txt");
    assert_eq!(code, Some(3), "{told}");
    let (code, told) = says("/approve");
    assert!(code == Some(0) && told.contains("buy seven oranges\nbuy seven oranges"), "{told}");
    assert!(!told.contains("exit_code"), "{told}");
    let (code, told) = says("/exec cp none.txt ../out/b.txt");
    assert_eq!(code, Some(3), "{told}");
    let (code, told) = says("/approve");
    assert!(code == Some(1) && told.contains("(exit code 1)"), "{code:?}: {told}");
    home.put("router/governance.json", "{broken");
    let (code, told) = says("/exec ls");
    assert!(code == Some(1) && told.contains("the file can't be used"), "{code:?}: {told}");
}
