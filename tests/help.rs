//! What the command lines say of themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::process::Command;

fn help(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_safeclaw"))
        .args(args)
        .arg("--help")
        .env_clear()
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn of_everything_in_one() {
    insta::assert_snapshot!(help(&[]));
}

#[test]
fn of_the_agent() {
    insta::assert_snapshot!(help(&["agent"]));
    insta::assert_snapshot!(help(&["agent", "clear"]));
    insta::assert_snapshot!(help(&["agent", "config"]));
}

#[test]
fn of_the_set_up() {
    insta::assert_snapshot!(help(&["init"]));
}

#[test]
fn of_a_backup() {
    insta::assert_snapshot!(help(&["backup"]));
    insta::assert_snapshot!(help(&["restore"]));
}

#[test]
fn of_an_upgrade_and_the_way_back() {
    insta::assert_snapshot!(help(&["upgrade"]));
    insta::assert_snapshot!(help(&["rollback"]));
}

#[test]
fn of_moving_in() {
    insta::assert_snapshot!(help(&["import"]));
    insta::assert_snapshot!(help(&["import", "multis"]));
}

#[test]
fn of_what_became_of_a_message() {
    insta::assert_snapshot!(help(&["trace"]));
}

#[test]
fn of_the_work_in_a_folder() {
    insta::assert_snapshot!(help(&["work"]));
}

#[test]
fn of_the_service() {
    insta::assert_snapshot!(help(&["service"]));
    insta::assert_snapshot!(help(&["service", "install"]));
}

#[test]
fn of_storms() {
    insta::assert_snapshot!(help(&["storm"]));
    insta::assert_snapshot!(help(&["storm", "new"]));
}

#[test]
fn of_the_router() {
    insta::assert_snapshot!(help(&["router"]));
    insta::assert_snapshot!(help(&["router", "skills"]));
    insta::assert_snapshot!(help(&["router", "new-skill"]));
    insta::assert_snapshot!(help(&["router", "trust"]));
}

#[test]
fn of_the_queue() {
    insta::assert_snapshot!(help(&["router", "queue"]));
    for command in ["stats", "list", "show", "dead", "retry", "drop"] {
        insta::assert_snapshot!(
            format!("of_the_queue_{command}"),
            help(&["router", "queue", command])
        );
    }
}

#[test]
fn of_the_audit() {
    insta::assert_snapshot!(help(&["router", "audit"]));
    for command in ["verify", "head", "tail", "export"] {
        insta::assert_snapshot!(
            format!("of_the_audit_{command}"),
            help(&["router", "audit", command])
        );
    }
}

#[test]
fn of_the_policy() {
    insta::assert_snapshot!(help(&["router", "policy"]));
    for command in ["check", "explain"] {
        insta::assert_snapshot!(
            format!("of_the_policy_{command}"),
            help(&["router", "policy", command])
        );
    }
}

#[test]
fn of_the_pin() {
    insta::assert_snapshot!(help(&["router", "pin"]));
    insta::assert_snapshot!(help(&["router", "pin", "set"]));
}

#[test]
fn of_the_keys() {
    insta::assert_snapshot!(help(&["router", "keys", "new"]));
    insta::assert_snapshot!(help(&["router", "redis-acl"]));
}

#[test]
fn of_what_the_owner_decides() {
    insta::assert_snapshot!(help(&["router", "approvals"]));
    insta::assert_snapshot!(help(&["router", "approvals", "approve"]));
    insta::assert_snapshot!(help(&["router", "sessions"]));
    insta::assert_snapshot!(help(&["router", "sessions", "forget"]));
}
