//! The owner's PIN in the whole house: it is asked for, counted, locked, and written down nowhere.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use testkit::{Chat, TempHome, Terminal};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// One that stands in nothing else.
const PIN: &str = "493817";

const WRONG: &str = "000017";

/// A home with a PIN, and a folder in which lines of shell run.
fn home() -> (TempHome, tempfile::TempDir) {
    let (home, folder) = (TempHome::new(), tempfile::tempdir().unwrap());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let at = folder.path().canonicalize().unwrap();
    home.put(
        "router/governance.json",
        format!(
            r#"{{"commands": {{"allow": ["echo"]}}, "paths": {{"allowed": ["{}"]}}}}"#,
            at.display()
        ),
    );
    assert!(set(&home, PIN).status.success());
    (home, folder)
}

fn set(home: &TempHome, pin: &str) -> Output {
    typed(home, &["router", "pin", "set"], &format!("{pin}\n"))
}

fn typed(home: &TempHome, words: &[&str], stdin: &str) -> Output {
    let mut command = Command::new(SAFECLAW);
    command.args(words).arg("--home").arg(home.root()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn told(home: &TempHome, words: &[&str]) -> String {
    let output = typed(home, words, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn chat(home: &TempHome) -> Chat {
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    chat
}

/// Says `line`, and waits until the agent has said `text` of it, which on a pipe stands on stderr.
fn noticed(chat: &mut Chat, line: &str, text: &str) {
    chat.say(line);
    chat.expect_on_stderr(text);
}

/// The files below `folder` that hold `text`.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = fs::read(&path) {
            let is_there = bytes.windows(text.len()).any(|part| part == text.as_bytes());
            found.extend(is_there.then(|| path.display().to_string()));
        }
    }
    found
}

#[test]
fn at_a_terminal_it_is_typed_twice_unseen_and_ctrl_c_changes_nothing() {
    let home = TempHome::new();
    let mut status = Terminal::start(SAFECLAW, &["router", "pin"], home.root(), &[]);
    status.wait();
    let untouched = status.settings();
    let typed = [
        (["2468", "\x03", ""], "ended by you, and nothing was changed", 1, "no PIN is set"),
        (["2468\r", "1357\r", "\x03"], "the two were not the same", 1, "no PIN is set"),
        (["2468\r", "2468\r", ""], "the PIN is set", 0, "a PIN is set"),
    ];
    for ([first, again, last], told, code, stands) in typed {
        let mut asked = Terminal::start(SAFECLAW, &["router", "pin", "set"], home.root(), &[]);
        asked.expect("New PIN, 4 to 6 digits:");
        asked.press(first);
        if first.ends_with('\r') {
            asked.expect("The same once more:");
        }
        asked.press(again);
        asked.expect(told);
        asked.press(last);
        assert_eq!(asked.wait().code(), Some(code), "{}", asked.screen());
        assert!(!String::from_utf8(asked.bytes()).unwrap().contains("2468"));
        assert_eq!(asked.settings(), untouched);
        assert!(self::told(&home, &["router", "pin"]).contains(stands));
    }
}

#[test]
fn a_chat_enters_it_once_and_what_waited_goes_on_and_nothing_keeps_it() {
    let (home, _folder) = home();
    let mut first = chat(&home);
    first.ask("/exec echo one; echo two", "type your PIN and nothing else");
    noticed(&mut first, WRONG, "that is not the PIN; 2 more wrong ones lock it");
    first.expect("type your PIN and nothing else");
    // The command tells it in its own words, as it does without a PIN.
    let shown = first.ask(PIN, "\none\ntwo\n");
    assert!(!shown.contains("exit_code"), "{shown}");
    first.ask("/exec echo three", "three");
    first.end();
    let mut next = chat(&home);
    next.ask("/exec echo four", "four");
    next.end();
    let all = [shown, first.stdout(), first.stderr(), next.stdout()].concat();
    assert!(!all.contains(PIN) && !all.contains(WRONG), "{all}");
    for typed in [PIN, WRONG] {
        assert_eq!(holding(home.root(), typed), Vec::<String>::new());
    }
    let audit = home.text("router/audit/router-1.jsonl");
    for was in ["right", "wrong"] {
        assert!(audit.contains(&format!(r#""was":"{was}""#)), "{audit}");
    }
    let kept = home.text("router/pin.json");
    assert!(kept.contains("$argon2id$v=19$m=32768,t=3,p=1$"), "{kept}");
    let mode = fs::metadata(home.root().join("router/pin.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn three_wrong_ones_lock_it_whoever_ends_the_program_in_between() {
    let (home, _folder) = home();
    for left in [2, 1] {
        let mut dies = chat(&home);
        dies.ask(&format!("/exec echo {left}"), "type your PIN and nothing else");
        noticed(&mut dies, WRONG, &format!("{left} more wrong ones lock it"));
        dies.kill();
    }
    let mut locked = chat(&home);
    locked.ask("/exec echo last", "type your PIN and nothing else");
    noticed(&mut locked, WRONG, "the PIN was typed wrong three times, last by console:owner");
    noticed(&mut locked, PIN, "locked for 60 more minutes");
    noticed(&mut locked, "/exec echo more", "locked for 60 more minutes");
    locked.end();
    let mut after = chat(&home);
    noticed(&mut after, "/exec echo over", "locked for 60 more minutes");
    assert!(told(&home, &["router", "pin"]).contains("locked for 60 more minutes"));
    assert!(told(&home, &["router", "pin", "unlock"]).contains("can be entered again"));
    // The questions of before still wait, and the latest of them is the one that is meant.
    after.ask(PIN, "last");
    after.ask("/exec echo over again", "over again");
}

#[test]
fn it_stands_for_no_code_and_answers_no_other_question() {
    let (home, _folder) = home();
    home.put(
        "router/policy.toml",
        "[effects]\nnone = \"allow\"\nlocal = \"allow\"\nirreversible = \"ask\"\n[pin]\nfor = [\"WIPE\"]\n",
    );
    home.put(
        "router/skills/wipe/skill.toml",
        "name = \"WIPE\"\ninstruction = \"Wipe.\"\neffect = \"irreversible\"\nreads = \"none\"\ncommand = [\"./run\"]\n",
    );
    home.put("router/skills/wipe/run", "#!/bin/sh\necho '{}'\n");
    let program = home.router_skills().join("wipe/run");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut chat = chat(&home);
    chat.ask("/run WIPE {}", "type your PIN and nothing else");
    noticed(&mut chat, "/approve", "this one wants your PIN");
    let id = told(&home, &["router", "approvals"]).split_whitespace().next().unwrap().to_owned();
    let output = typed(&home, &["router", "approvals", "approve", &id, "--yes"], "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("this one wants your PIN"));
    // The code is the floor's, whatever was typed before.
    chat.ask(PIN, "A yes counts only with the code that stands above");
    noticed(
        &mut chat,
        &format!("/approve {PIN}"),
        "it is the one that stands in the question; it still waits",
    );
    assert!(!home.text("router/audit/router-1.jsonl").contains(r#""row":"intent""#));
}

#[test]
fn a_mode_changes_once_it_is_typed_and_is_shown_without() {
    let (home, _folder) = home();
    let mut chat = chat(&home);
    chat.ask("/mode", "The bot is personal");
    let asked = chat.ask("/mode off", "type your PIN and nothing else");
    assert!(asked.contains("_MODE") && !asked.contains("Every chat but yours"), "{asked}");
    chat.ask("/mode", "The bot is personal");
    chat.ask(PIN, "Every chat but yours is off");
    chat.ask("/mode personal", "Each chat has its own mode.");
    chat.ask("/mode", "The bot is personal");
}

#[test]
fn behind_it_a_rule_that_asks_about_modes_is_asked() {
    let (home, _folder) = home();
    home.put(
        "router/policy.toml",
        "[effects]\nnone = \"allow\"\n[[rules]]\naction = \"_MODE\"\nthen = \"ask\"\n",
    );
    let mut chat = chat(&home);
    chat.ask("/mode off", "type your PIN and nothing else");
    let asked = chat.ask(PIN, "/approve");
    assert!(asked.contains("_MODE") && !asked.contains("Every chat but yours"), "{asked}");
    chat.ask("/approve", "Every chat but yours is off");
    // It was allowed once.
    let asked = chat.ask("/mode off", "/approve");
    assert!(asked.contains("_MODE") && !asked.contains("Every chat but yours"), "{asked}");
}

#[test]
fn papers_go_in_and_the_workbench_opens_behind_it() {
    let (home, folder) = home();
    let folder = folder.path().canonicalize().unwrap();
    fs::write(folder.join("one.md"), "# One\n\nA word.\n").unwrap();
    home.put("agent/config.json", r#"{"sets": ["workbench"]}"#);
    let mut chat = chat(&home);
    let paper = folder.join("one.md");
    for (line, action) in [
        (format!("/index {} public", paper.display()), "PUBLISH_DOC"),
        (format!("/index {} admin", paper.display()), "INDEX_DOC"),
        (r#"/run WORKBENCH {"env": "bash", "command": "true"}"#.to_owned(), "WORKBENCH"),
    ] {
        let asked = chat.ask(&line, "type your PIN and nothing else");
        assert!(asked.contains(action), "{asked}");
        chat.ask("/deny", "refused");
    }
}

#[test]
fn digits_are_the_pin_of_what_this_chat_has_asked_alone() {
    let (home, _folder) = home();
    let mut chat = chat(&home);
    chat.ask("/exec echo one", "type your PIN and nothing else");
    // Since then another chat of the owner's has asked, too.
    let kept = holding_entry(&home);
    let text = fs::read_to_string(&kept).unwrap();
    let (_, parked) = text.split_once('\n').unwrap();
    let parked = parked.replace("console:owner", "telegram:42").replace("echo one", "echo two");
    let id = "00000000-0000-4000-8000-000000000001";
    let lifetime = text.split(' ').next().unwrap();
    fs::write(
        kept.with_file_name(format!("{id}.entry")),
        format!("{lifetime} {}\n{parked}", parked.len()),
    )
    .unwrap();
    chat.ask("/approvals", "echo two");
    chat.ask(PIN, "one");
    noticed(&mut chat, PIN, "question 00000000 was asked in another chat: enter the PIN there");
    chat.ask("/approvals", "echo two");
    let audit = home.text("router/audit/router-1.jsonl");
    assert_eq!(audit.matches(r#""was":"right""#).count(), 1, "{audit}");
}

/// The file of the only question that waits.
fn holding_entry(home: &TempHome) -> std::path::PathBuf {
    let mut all = fs::read_dir(home.router_state().join("approvals")).unwrap().flatten();
    all.find(|entry| entry.path().extension().is_some_and(|it| it == "entry")).unwrap().path()
}

#[test]
fn a_backup_brings_it_back_and_the_doctor_finds_one_that_is_broken() {
    let (home, folder) = home();
    let file = folder.path().join("one.backup");
    let file = file.to_str().unwrap();
    let _ = told(&home, &["backup", file]);
    let _ = told(&home, &["router", "pin", "remove"]);
    home.put("router/pin.json", "{}");
    let printed = typed(&home, &["doctor", "--json"], "").stdout;
    let printed: serde_json::Value = serde_json::from_slice(&printed).unwrap();
    let mut checks = printed["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["name"] == "PIN").unwrap();
    assert_eq!(check["status"], "fail", "{check}");
    let _ = told(&home, &["restore", file, "--yes"]);
    let mut chat = chat(&home);
    chat.ask("/exec echo one", "type your PIN and nothing else");
    chat.ask(PIN, "one");
}

#[test]
fn what_is_no_pin_is_refused_and_it_can_be_taken_away() {
    let (home, _folder) = home();
    for wrong in ["", "123", "1234567", "12a4", "１２３４"] {
        let output = set(&home, wrong);
        assert!(!output.status.success(), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("4 to 6 digits"));
    }
    let mut chat = chat(&home);
    chat.ask("/exec echo one", "type your PIN and nothing else");
    for slip in ["493", "4938170"] {
        noticed(&mut chat, slip, "a PIN has 4 to 6 digits; this one was not counted");
        chat.expect("type your PIN and nothing else");
    }
    assert!(told(&home, &["router", "pin", "remove"]).contains("no PIN is asked for"));
    chat.ask("/exec echo two", "two");
    assert!(set(&home, "1234").status.success());
    chat.ask("/exec echo three", "type your PIN and nothing else");
    home.put("router/pin.json", "{}");
    noticed(&mut chat, "/exec echo four", "holds no digest of a PIN");
}
