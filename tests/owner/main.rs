//! What the owner decides from another terminal while a chat is open: questions, grants, sessions, the kill switch.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]

mod deeds;

use std::fs::{Permissions, set_permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use testkit::{Chat, TempHome, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// A home with skills that ring a bell elsewhere, wipe something, read a page and take their time.
fn home() -> TempHome {
    let home = TempHome::new();
    for (name, more, program) in [
        (
            "ring",
            "effect = \"external\"\n[params]\nwho = { type = \"string\", text = true }",
            "echo '{}'",
        ),
        ("wipe", "effect = \"irreversible\"", "echo '{}'"),
        ("page", "effect = \"none\"\nreads = \"public\"", "echo '{\"text\": \"anybody\"}'"),
        ("sleep", "effect = \"local\"\ntimeout = \"60s\"", "sleep 55; echo '{}'"),
    ] {
        let folder = format!("router/skills/{name}");
        home.put(
            format!("{folder}/skill.toml"),
            format!(
                "name = {:?}\ninstruction = \"Test.\"\ncommand = [\"./run\"]\n{more}\n",
                name.to_ascii_uppercase()
            ),
        );
        home.put(format!("{folder}/run"), format!("#!/bin/sh\n{program}\n"));
        let program = home.router_skills().join(name).join("run");
        set_permissions(program, Permissions::from_mode(0o755)).unwrap();
    }
    home
}

fn chat(home: &TempHome) -> Chat {
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    chat
}

fn typed(home: &TempHome, words: &[&str]) -> Output {
    let mut command = Command::new(SAFECLAW);
    command.args(words).arg("--home").arg(home.root()).stdin(Stdio::null());
    command.output().unwrap()
}

/// What the owner is told, where it went well.
fn told(home: &TempHome, words: &[&str]) -> String {
    let output = typed(home, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What the owner is told, where it did not.
fn refused(home: &TempHome, words: &[&str]) -> String {
    let output = typed(home, words);
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// The id of the only question that waits.
fn question(home: &TempHome) -> String {
    let listed = told(home, &["router", "approvals"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    listed.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_question_is_answered_from_another_terminal() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run RING {\"who\": \"Zoë\"}", "RING: pending");
    let id = question(&home);
    let shown = told(&home, &["router", "approvals", "show", &id[..6]]);
    assert!(
        shown.contains("RING {\n  \"who\": \"Zoë\"\n}\nwhat it does: Test.\nasked because"),
        "{shown}"
    );
    let unasked = refused(&home, &["router", "approvals", "approve", &id]);
    assert!(unasked.contains("pass --yes"), "{unasked}");
    told(&home, &["router", "approvals", "approve", &id[..6], "--yes"]);
    chat.expect("RING: ok");
    assert!(told(&home, &["router", "approvals"]).contains("no question waits"));
    let again = refused(&home, &["router", "approvals", "approve", &id, "--yes"]);
    assert!(again.contains("no question begins with"), "{again}");
}

#[test]
fn after_three_noes_the_chat_goes_on_by_a_word_in_the_chat() {
    let home = home();
    let mut chat = chat(&home);
    for who in ["A", "B", "C"] {
        chat.ask(&format!("/run RING {{\"who\": \"{who}\"}}"), "RING: pending");
        chat.ask(&format!("/deny {}", question(&home)), "RING: refused, a person said no");
    }
    chat.ask("/run PAGE {}", "/unlock lets it go on");
    chat.ask("/unlock", "It goes on.");
    chat.ask("/run PAGE {}", "PAGE: ok");
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
}

#[test]
fn a_code_is_wanted_there_too_and_a_no_is_heard() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run WIPE {}", "WIPE: pending");
    let id = question(&home);
    let without = refused(&home, &["router", "approvals", "approve", &id, "--yes"]);
    assert!(without.contains("--code"), "{without}");
    let wrong = refused(&home, &["router", "approvals", "approve", &id, "--code", "0000"]);
    assert!(wrong.contains("it still waits"), "{wrong}");
    let shown = told(&home, &["router", "approvals", "show", &id]);
    let code = shown.split("type ").nth(1).unwrap()[..4].to_owned();
    told(&home, &["router", "approvals", "approve", &id, "--code", &code]);
    chat.expect("WIPE: ok");
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    told(&home, &["router", "approvals", "deny", &question(&home)]);
    chat.expect("RING: refused, a person said no");
}

#[test]
fn what_was_always_allowed_can_be_taken_back() {
    let home = home();
    let mut chat = chat(&home);
    assert!(told(&home, &["router", "approvals", "grants"]).contains("nothing is allowed"));
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    told(&home, &["router", "approvals", "approve", &question(&home), "--yes", "--always"]);
    chat.expect("RING: ok");
    chat.ask("/run RING {\"who\": \"B\"}", "RING: ok");
    let grants = told(&home, &["router", "approvals", "grants"]);
    assert!(grants.contains("RING with any who") && grants.contains("used 1 times"), "{grants}");
    let id = grants.split_whitespace().next().unwrap();
    told(&home, &["router", "approvals", "revoke", id]);
    chat.ask("/run RING {\"who\": \"C\"}", "RING: pending");
}

#[test]
fn what_waits_that_is_alike_runs_with_it_from_there_too() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    let id = question(&home);
    chat.ask("/run RING {\"who\": \"B\"}", "RING: pending");
    told(&home, &["router", "approvals", "approve", &id, "--yes", "--always"]);
    chat.expect("RING: ok");
    chat.expect("RING: ok");
    assert!(told(&home, &["router", "approvals"]).contains("no question waits"));
    let grants = told(&home, &["router", "approvals", "grants"]);
    assert!(grants.contains("used 1 times"), "{grants}");
}

#[test]
fn so_many_times_and_so_long_can_be_allowed_and_no_longer_than_a_week() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    let id = question(&home);
    let approve = ["router", "approvals", "approve", &id, "--yes", "--always"];
    for (terms, why) in [
        (["--times", "1", "--for", "2h"], "2 to 1000 times"),
        (["--times", "2", "--for", "8d"], "a week at most"),
        (["--times", "2", "--for", "soon"], "such as 5x, 30m, 2h or 3d"),
    ] {
        let said = refused(&home, &[&approve[..], &terms].concat());
        assert!(said.contains(why), "{said}");
    }
    let said = told(&home, &[&approve[..], &["--times", "2", "--for", "2h"]].concat());
    assert!(said.contains("allowed 2 times within 2 hours: RING with any who"), "{said}");
    chat.expect("RING: ok");
    let listed = told(&home, &["router", "approvals", "grants"]);
    assert!(listed.contains("120 min left, used 1 of 2 times"), "{listed}");
    chat.ask("/grants", "for 120 minutes more, used 1 of 2 times");
    chat.ask("/run RING {\"who\": \"B\"}", "RING: ok");
    chat.ask("/run RING {\"who\": \"C\"}", "RING: pending");
    // The same in the chat.
    chat.say("/approve always 2x 2h");
    chat.expect("RING: ok");
    chat.ask("/run RING {\"who\": \"D\"}", "RING: ok");
    chat.ask("/run RING {\"who\": \"E\"}", "RING: pending");
}

#[test]
fn sessions_are_shown_and_forgotten() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run PAGE {}", "PAGE: ok");
    let sessions = told(&home, &["router", "sessions"]);
    assert!(sessions.contains("owner") && sessions.contains("untrusted text has entered; 1 "));
    let unasked = refused(&home, &["router", "sessions", "forget", "owner"]);
    assert!(unasked.contains("--yes"), "{unasked}");
    home.put("router/state/sessions/owner.entry", "- 5\n{half");
    chat.ask("/run PAGE {}", "PAGE: failed, what is known of the session can't be used");
    told(&home, &["router", "sessions", "forget", "owner", "--yes"]);
    chat.ask("/run PAGE {}", "PAGE: ok");
    let nobody = refused(&home, &["router", "sessions", "resume", "nobody"]);
    assert!(nobody.contains("nothing is known of a session nobody"), "{nobody}");
}

#[test]
fn everything_stops_and_goes_on_at_a_word() {
    let home = home();
    let mut chat = chat(&home);
    chat.say("/run SLEEP {}");
    wait_until("it runs", || {
        std::fs::read_to_string(home.router_audit().join("router-1.jsonl"))
            .is_ok_and(|rows| rows.contains("\"intent\""))
    });
    assert!(told(&home, &["stop"]).contains("stopped: this machine"));
    chat.expect("SLEEP: refused, everything is stopped");
    chat.ask("/run PAGE {}", "PAGE: refused, everything is stopped");
    assert!(told(&home, &["resume"]).contains("goes on: this machine"));
    chat.ask("/run PAGE {}", "PAGE: ok");
    assert!(told(&home, &["resume"]).contains("was not stopped"));
    // The agent's own way to the same switch.
    chat.ask("/stop", "resume");
    chat.ask("/run PAGE {}", "PAGE: refused, everything is stopped");
}

#[test]
fn what_a_call_has_sent_before_it_was_stopped_is_counted() {
    // It takes a request and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let there = listener.local_addr().unwrap();
    let home = home();
    let fetch = include_str!("../../router/skills/web_fetch/skill.toml");
    home.put("router/skills/web_fetch/skill.toml", fetch);
    let reach = format!(r#"{{"skills": {{"WEB_FETCH": {{"allow_private": ["{there}"]}}}}}}"#);
    home.put("router/config.json", reach);
    let mut chat = chat(&home);
    chat.say(format!("/run WEB_FETCH {{\"url\": \"http://{there}/\"}}"));
    let mut taken = None;
    wait_until("it is asked", || {
        taken = listener.accept().ok();
        taken.is_some()
    });
    told(&home, &["stop"]);
    chat.expect("WEB_FETCH: refused, everything is stopped");
    told(&home, &["resume"]);
    wait_until("it is counted", || {
        chat.ask("/net", "where they are.").contains(&format!("WEB_FETCH and {there}"))
    });
}
