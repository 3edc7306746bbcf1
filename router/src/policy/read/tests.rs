//! Every mistake is found, with its line and a way out.

use std::time::Duration;

use protocol::ActionName;

use super::*;
use crate::policy::{Limits, Via};

const EFFECTS: &str = "[effects]\nnone = 'allow'\n";

/// The line of the only fault, and its words.
fn fault(text: &str) -> (usize, String) {
    match read(text).map(|_| ()).unwrap_err().as_slice() {
        [only] => (only.place.line, format!("{}; {}", only.why, only.fix)),
        several => panic!("{several:?}"),
    }
}

/// That in line 3 of a policy whose third line is `line`.
fn third(line: &str) -> String {
    let (at, words) = fault(&format!("{EFFECTS}{line}\n"));
    assert_eq!(at, 3, "{words}");
    words
}

/// That of a rule with `lines` after its first two.
fn in_rule(lines: &str) -> String {
    fault(&format!("{EFFECTS}[[rules]]\naction = 'A'\nthen = 'ask'\n{lines}\n")).1
}

#[test]
fn what_can_not_stand_in_effects() {
    assert_eq!(
        third("externl = 'ask'"),
        "there is no key externl in [effects]; did you mean external?"
    );
    assert!(third("external = 'alow'").ends_with("not \"alow\"; write external = \"allow\""));
    assert!(third("external = true").ends_with("put it into quotes: external = \"...\""));
    assert!(
        third("irreversible = 'allow'").ends_with("write irreversible = \"ask\", or \"refuse\"")
    );
    assert!(third("none = 'ask'").starts_with("duplicate key; mend it"));
    assert!(third("external = ask").contains("string values must be quoted"));
    assert_eq!(fault("").0, 1);
    assert_eq!(read("[effect]\n").unwrap_err().len(), 2);
}

#[test]
fn what_can_not_stand_in_approval_and_limits() {
    let approval = |line: &str| fault(&format!("{EFFECTS}[approval]\n{line}\n")).1;
    assert!(approval("via = 'chanel'").ends_with("write via = \"channel\""));
    for by in ["[]", "'console:owner'", "['owner']", "[5]"] {
        assert!(approval(&format!("by = {by}")).contains("by = [\"console:owner\"]"), "{by}");
    }
    for expires in ["'9s'", "'25h'", "'10'", "10"] {
        approval(&format!("expires = {expires}"));
    }
    let limits = |line: &str| fault(&format!("{EFFECTS}[limits]\n{line}\n")).1;
    for line in
        ["per_minute = 0", "per_minute = -1", "per_hour = 10_001", "pending = 65", "denials = '1'"]
    {
        assert!(limits(line).contains("is a whole number from 1 to "), "{line}");
    }
    assert!(limits("per_minut = 1").ends_with("did you mean per_minute?"));
    assert!(fault("effects = 1\n").1.ends_with("write [effects] on a line of its own"));
}

#[test]
fn what_the_pin_guards_is_a_list_of_actions_that_the_router_is_asked_about() {
    let pin = |line: &str| format!("{EFFECTS}[pin]\n{line}\n");
    let checked = read(&pin("for = ['CREATE_POST', '_BROADCAST_MSG']")).unwrap();
    let names: Vec<&str> = checked.rules.pin.iter().map(ActionName::as_str).collect();
    assert_eq!(names, ["CREATE_POST", "_BROADCAST_MSG"]);
    assert!(read(&pin("")).unwrap().rules.pin.is_empty());
    for line in ["for = 'NOTIFY'", "for = [5]", "for = ['notify']"] {
        assert!(fault(&pin(line)).1.contains("write for = [\"NOTIFY\""), "{line}");
    }
    assert!(fault(&pin("for = ['_MEMORY_WRITE']")).1.contains("no PIN guards it"));
    assert!(fault(&pin("fro = []")).1.ends_with("no key fro in [pin]; it may hold for"));
}

#[test]
fn what_can_not_stand_in_a_rule() {
    for (lines, words) in [
        ("param = {}", "did you mean params?"),
        ("params = 'x'", "params is a table"),
        ("params = { at = 2026-12-01 }", "JSON has no such value"),
        ("until = '2026-12-01T12:00:00Z'", "without quotes"),
        ("until = 2026-12-01T12:00:00", "until needs a day, a time and a zone"),
        ("times = 5", "leave times out, or write then = \"allow\""),
        ("channel = 'telegram:42'", "write principal = \"telegram:42\""),
        ("principal = 'bob'", "write principal = \"telegram:bob\""),
        ("channel = 'telegram'\nprincipal = 'telegram:42'", "leave channel out"),
    ] {
        assert!(in_rule(lines).contains(words), "{lines}: {}", in_rule(lines));
    }
    let whole = |rule: &str| fault(&format!("{EFFECTS}[[rules]]\n{rule}\n")).1;
    assert!(
        whole("then = 'ask'").ends_with("add action = \"CREATE_POST\", or \"*\" for every one")
    );
    assert!(whole("action = 'A'").ends_with("add then = \"ask\""));
    assert!(whole("action = 'create-post'\nthen = 'ask'").contains("CREATE_POST"));
    assert!(fault(&format!("{EFFECTS}[rules]\n")).1.contains("two brackets"));
}

#[test]
fn rules_that_clash_are_told_with_both_lines() {
    let clash = |first: &str, second: &str| {
        let (line, words) = fault(&format!("{EFFECTS}[[rules]]\n{first}\n[[rules]]\n{second}\n"));
        assert_eq!(line, first.lines().count() + 4);
        assert!(words.contains("line 3"), "{words}");
        words
    };
    let same = clash("action = 'A'\nthen = 'ask'", "action = 'A'\nthen = 'allow'");
    assert!(same.contains("under the same conditions"));
    let hidden =
        clash("action = 'A*'\nthen = 'ask'", "action = 'AB'\nparams.x = 1\nthen = 'allow'");
    assert!(hidden.contains("put it above line 3"));
    let twice = clash("action = 'A'\nthen = 'ask'", "action = 'A'\nchannel = 'x'\nthen = 'ask'");
    assert!(twice.contains("adds nothing"));
    clash(
        "action = 'A'\nthen = 'ask'\nuntil = 2027-01-01T00:00:00Z",
        "action = 'A'\nthen = 'allow'\nuntil = 2026-01-01T00:00:00Z",
    );
}

#[test]
fn rules_that_leave_something_to_the_next_do_not_clash() {
    for (first, second) in [
        ("action = 'A'\nthen = 'allow'\ntimes = 5", "action = 'A'\nthen = 'ask'"),
        (
            "action = 'A'\nthen = 'allow'\nuntil = 2026-01-01T00:00:00Z",
            "action = 'A'\nthen = 'ask'",
        ),
        ("action = 'A'\nparams.x = 1\nthen = 'allow'", "action = 'A'\nthen = 'ask'"),
        (
            "action = 'A'\nparams.x = 'a*'\nthen = 'allow'",
            "action = 'A'\nparams.x = '*'\nthen = 'ask'",
        ),
        ("action = 'A'\nchannel = 'x'\nthen = 'allow'", "action = 'A'\nthen = 'ask'"),
        ("action = 'AB'\nthen = 'allow'", "action = 'A*'\nthen = 'ask'"),
    ] {
        let text = format!("{EFFECTS}[[rules]]\n{first}\n[[rules]]\n{second}\n");
        assert_eq!(read(&text).unwrap().rules.rules.len(), 2, "{text}");
    }
}

#[test]
fn what_is_seldom_meant_is_a_warning() {
    let warned = |text: &str| {
        read(text).unwrap().warnings.iter().map(|warning| warning.place.line).collect()
    };
    let everything = format!("{EFFECTS}[[rules]]\naction = '*'\nthen = 'allow'\n");
    let lines: Vec<usize> = warned(&everything);
    assert_eq!(lines, [3]);
    let lines: Vec<usize> = warned(&format!("{everything}times = 5\n"));
    assert!(lines.is_empty());
    let lines: Vec<usize> = warned(&format!("{EFFECTS}[approval]\nvia = 'router'\nby = ['a:b']\n"));
    assert_eq!(lines, [5]);
}

#[test]
fn what_is_written_counts() {
    let rules = read(&format!(
        "{EFFECTS}[approval]\nvia = 'router'\nexpires = '1h'\n[limits]\nper_minute = 0x10\n"
    ));
    let rules = rules.unwrap().rules;
    assert_eq!(
        (rules.approval.via, rules.approval.expires),
        (Via::Router, Duration::from_secs(3_600))
    );
    assert_eq!(rules.limits, Limits { per_minute: 16, ..Limits::default() });
}

#[test]
fn a_count_begins_anew_when_a_rule_changes_and_not_when_it_moves() {
    let id = |rule: &str| read(&format!("{EFFECTS}{rule}")).unwrap().rules.rules.pop().unwrap().id;
    let rule = id("[[rules]]\naction = 'A'\nthen = 'allow'\ntimes = 5\n");
    let moved = "[[rules]]\naction = 'B'\nthen = 'ask'\n\n[[rules]]\nnote = 'n'\ntimes = 5\nthen = 'allow'\naction = 'A'\n";
    assert_eq!(id(moved), rule);
    assert_ne!(id("[[rules]]\naction = 'A'\nthen = 'allow'\ntimes = 6\n"), rule);
    let until =
        |time: &str| id(&format!("[[rules]]\naction = 'A'\nthen = 'allow'\nuntil = {time}\n"));
    assert_ne!(until("2026-12-01T12:00:00Z"), until("2026-12-02T12:00:00Z"));
}
