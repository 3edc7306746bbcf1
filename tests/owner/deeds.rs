//! What the owner decides leaves rows in the audit log, and what can't be written down is not decided.

use serde_json::{Value, json};

use super::*;

/// Whatever stands there, the command line can't write its log.
const BLOCKED: &str = "router/audit/cli.jsonl";

/// What the owner did, in its order, by the audit log, which holds.
fn deeds(home: &TempHome) -> Vec<Value> {
    told(home, &["router", "audit", "verify"]);
    let rows = told(home, &["router", "audit", "export", "--json"]);
    let rows = rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
    rows.filter(|row| row["row"] == "deed").collect()
}

/// The same, each in a few words.
fn in_words(home: &TempHome) -> Vec<String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let words = |row: &Value| {
        let more = ["answer", "scope", "target"].map(|key| text(row, key));
        let more = more.into_iter().find(|more| more != "-").unwrap_or_default();
        let failed = if row["failed"].is_null() { "" } else { ", failed" };
        let said = format!("{} {} {} {more}", text(row, "way"), text(row, "by"), text(row, "deed"));
        format!("{}{failed}", said.trim_end())
    };
    deeds(home).iter().map(words).collect()
}

#[test]
fn what_the_owner_decides_leaves_a_row_of_who_what_and_by_which_way() {
    let home = home();
    told(&home, &["router", "trust", "RING", "--yes"]);
    let mut chat = chat(&home);
    chat.ask("/run WIPE {}", "WIPE: pending");
    let wipe = question(&home);
    refused(&home, &["router", "approvals", "approve", &wipe, "--code", "0000"]);
    told(&home, &["router", "approvals", "deny", &wipe]);
    chat.expect("WIPE: refused");
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    told(&home, &["router", "approvals", "approve", &question(&home), "--yes", "--always"]);
    chat.expect("RING: ok");
    let grants = told(&home, &["router", "approvals", "grants"]);
    let grant = grants.split_whitespace().next().unwrap();
    told(&home, &["router", "approvals", "revoke", grant]);
    told(&home, &["router", "sessions", "resume", "owner"]);
    told(&home, &["router", "sessions", "forget", "owner", "--yes"]);
    refused(&home, &["router", "sessions", "forget", "nobody", "--yes"]);
    told(&home, &["stop"]);
    told(&home, &["resume"]);
    chat.ask("/stop", "resume");
    let by = |deed: &str| format!("cli router:owner {deed}");
    let expected = [
        by("trust"),
        by("answer yes"),
        by("answer yes, failed"),
        by("answer no"),
        by("answer always"),
        by("grant RING with any who"),
        by("revoke RING with any who"),
        by("resume_session"),
        by("forget_session"),
        by("forget_session"),
        by("forget_session, failed"),
        by("stop"),
        by("resume"),
        "channel console:owner stop".to_owned(),
    ];
    assert_eq!(in_words(&home), expected);
    let rows = deeds(&home);
    assert_eq!((&rows[1]["question"], &rows[1]["action"]), (&json!(wipe), &json!("WIPE")));
    assert_eq!((&rows[5]["grant"], &rows[5]["session"]), (&json!(grant), &json!("owner")));
    let tail = told(&home, &["router", "audit", "tail"]);
    assert!(tail.contains("router:owner (cli): revoke RING with any who"), "{tail}");
}

#[test]
fn what_can_not_be_written_down_is_not_decided_and_a_stop_is_all_the_same() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    told(&home, &["router", "approvals", "approve", &question(&home), "--yes", "--always"]);
    chat.expect("RING: ok");
    let grants = told(&home, &["router", "approvals", "grants"]);
    let grant = grants.split_whitespace().next().unwrap();
    chat.ask("/run WIPE {}", "WIPE: pending");
    let wipe = question(&home);
    wait_until("PAGE has its pin", || {
        std::fs::read_to_string(home.router_state().join("skills.json"))
            .is_ok_and(|pins| pins.contains("\"PAGE\": \""))
    });
    std::fs::rename(home.root().join(BLOCKED), home.root().join("aside")).unwrap();
    std::fs::create_dir(home.root().join(BLOCKED)).unwrap();
    home.put("router/skills/page/run", "#!/bin/sh\necho '{\"text\": \"else\"}'\n");
    for words in [
        &["router", "approvals", "deny", &wipe][..],
        &["router", "approvals", "revoke", grant],
        &["router", "sessions", "resume", "owner"],
        &["router", "sessions", "forget", "owner", "--yes"],
        &["router", "trust", "PAGE", "--yes"],
    ] {
        let why = refused(&home, words);
        assert!(why.contains("can't be written") && why.contains("nothing was changed"), "{why}");
    }
    assert_eq!(question(&home), wipe);
    chat.ask("/run RING {\"who\": \"B\"}", "RING: ok");
    wait_until("the agent has heard that PAGE does not run", || {
        let cards = std::fs::read_to_string(home.root().join("workspace/router_actions.json"));
        cards.is_ok_and(|cards| !cards.contains("PAGE"))
    });
    chat.ask("/run PAGE {}", "PAGE: unknown, there is no action PAGE; `");
    assert!(told(&home, &["router", "skills"]).contains("PAGE does not run: it was changed"));
    let stopped = typed(&home, &["stop"]);
    assert!(stopped.status.success());
    let unrecorded = String::from_utf8(stopped.stderr).unwrap();
    assert!(unrecorded.contains("the stop is in force, and could not be recorded"), "{unrecorded}");
    refused(&home, &["resume"]);
    chat.ask("/run RING {\"who\": \"C\"}", "RING: refused, everything is stopped");
    std::fs::remove_dir(home.root().join(BLOCKED)).unwrap();
    std::fs::rename(home.root().join("aside"), home.root().join(BLOCKED)).unwrap();
    told(&home, &["resume"]);
    chat.ask("/run RING {\"who\": \"D\"}", "RING: ok");
}

#[test]
fn command_lines_that_decide_at_once_make_one_chain() {
    let home = home();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| told(&home, &["stop"]));
        }
    });
    let verified = told(&home, &["router", "audit", "verify"]);
    assert!(verified.starts_with("cli: 6 rows in 1 file, all as written"), "{verified}");
}
