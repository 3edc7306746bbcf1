//! The audit log of real routers: it holds as it was written, and `start_router audit` finds what was done to
//! it afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "a router with a limit is started by a shell")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{Chat, OllamaServer, Says, TempHome, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");
const LOG: &str = "router/audit/router-1.jsonl";

/// What a command line printed, and how it ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn audit(home: &Path, args: &[&str]) -> Ended {
    let mut chat = Chat::start(SAFECLAW, &[&["router", "audit"], args].concat(), home, &[]);
    let code = chat.end().code();
    Ended { code, stdout: chat.stdout(), stderr: chat.stderr() }
}

/// What a command that ends well prints.
fn words(home: &TempHome, args: &[&str]) -> String {
    let ended = audit(home.root(), args);
    assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
    ended.stdout
}

fn router(home: &TempHome) -> Chat {
    Chat::start(SAFECLAW, &["router", "--pipe"], home.root(), &[])
}

fn command(id: &str, action: &str, params: &Value) -> String {
    let command = json!({"message_id": id, "action": action, "params": params, "session": "owner"});
    json!({ "command": command }).to_string()
}

/// A home whose router has greeted twice and refused once: five rows.
fn used() -> TempHome {
    let home = TempHome::greeting();
    let mut router = router(&home);
    for (id, action) in [("a", "HELLO_WORLD"), ("b", "HELLO_WORLD"), ("c", "NOTHING_SUCH")] {
        router.say(command(id, action, &json!({"name": "Ann"})));
        router.expect(&format!("\"message_id\":\"{id}\""));
    }
    assert!(router.end().success(), "{}", router.stderr());
    home
}

/// The log, or nothing while there is none.
fn written(home: &TempHome) -> String {
    fs::read_to_string(home.root().join(LOG)).unwrap_or_default()
}

fn tamper(home: &TempHome, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = home.text(LOG).lines().map(str::to_owned).collect();
    change(&mut lines);
    home.put(LOG, lines.join("\n") + "\n");
}

#[test]
fn a_correct_log_passes_and_its_head_is_found_again() {
    let home = used();
    let said = words(&home, &["verify"]);
    assert!(said.starts_with("router-1: 5 rows in 1 file, all as written; head 5:"), "{said}");
    let head = words(&home, &["head"]);
    let (head, name) = head.trim().split_once("  ").unwrap();
    assert_eq!(name, "router-1");
    let mut again = router(&home);
    again.say(command("d", "NOTHING_SUCH", &json!({})));
    again.expect("\"message_id\":\"d\"");
    again.end();
    let said = words(&home, &["verify", "--head", head]);
    assert!(said.contains("6 rows") && said.contains("every head"), "{said}");

    tamper(&home, |lines| lines.truncate(4));
    assert!(words(&home, &["verify"]).contains("4 rows"), "a chain alone does not show it");
    let ended = audit(home.root(), &["verify", "--head", head]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("no log has a row 5 with the hash"), "{ended:?}");
    let ended = audit(home.root(), &["verify", "--head", "5:beef"]);
    assert!(ended.stderr.contains("COUNTER:HASH"), "{ended:?}");
}

#[test]
fn what_was_done_to_a_log_is_told_with_its_line() {
    type Change = fn(&mut Vec<String>);
    let changes: [(Change, usize, &str); 5] = [
        (|lines| lines[2] = lines[2].replace("Ann", "Bob"), 3, "changed: the hash of row 3"),
        (|lines| drop(lines.remove(2)), 3, "missing: row 3 is gone"),
        (|lines| lines.swap(1, 2), 2, "reordered: row 3 stands where row 2 belongs"),
        (|lines| lines[2].truncate(30), 3, "cut: row 3"),
        (|lines| lines.insert(2, "{}".to_owned()), 3, "changed: 1 line(s) stand here"),
    ];
    let home = used();
    let whole = home.text(LOG);
    for (change, line, what) in changes {
        home.put(LOG, &whole);
        tamper(&home, change);
        let ended = audit(home.root(), &["verify"]);
        assert_eq!(ended.code, Some(1), "{what}: {ended:?}");
        let place = format!("{LOG}:{line}: {what}");
        assert!(ended.stdout.contains(&place), "{place}: {ended:?}");
        assert!(ended.stderr.contains("does not hold"), "{ended:?}");
        assert_eq!(audit(home.root(), &["head"]).stdout, "");
    }
}

#[test]
fn a_router_that_is_killed_leaves_a_log_that_the_next_one_goes_on_with() {
    let home = TempHome::greeting();
    for round in 1..=3 {
        let mut killed = router(&home);
        for count in 0..2_000 {
            killed.say(command(&format!("{round}-{count}"), "NOTHING_SUCH", &json!({})));
            if count == 100 {
                wait_until("it writes", || written(&home).contains(&format!("\"{round}-50\"")));
            }
        }
        killed.kill();
        words(&home, &["verify"]);
    }
    // What a power cut leaves, and a full disk.
    let text = home.text(LOG);
    home.put(LOG, &text[..text.len() - 30]);
    let ended = audit(home.root(), &["verify"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("A crash in mid-row leaves that"), "{ended:?}");
    assert!(router(&home).end().success());
    let said = words(&home, &["verify"]);
    assert!(said.contains("note: ") && said.contains("half a row of"), "{said}");
    assert!(home.text(LOG).contains(text[..text.len() - 30].lines().last().unwrap()));
}

#[test]
fn two_routers_on_one_home_have_a_log_each_and_both_are_checked() {
    let home = TempHome::greeting();
    let mut routers = Vec::new();
    for id in ["a", "b"] {
        let mut router = router(&home);
        router.say(command(id, "NOTHING_SUCH", &json!({})));
        router.expect(&format!("\"message_id\":\"{id}\""));
        routers.push(router);
    }
    routers.iter_mut().for_each(|router| assert!(router.end().success()));
    let said = words(&home, &["verify"]);
    assert!(said.contains("router-1: 1 row in") && said.contains("router-2: 1 row in"), "{said}");
    assert_eq!(words(&home, &["export"]).lines().count(), 2);
    let second = "router/audit/router-2.jsonl";
    home.put(second, home.text(second).replace("NOTHING", "ANYTHNG"));
    let ended = audit(home.root(), &["verify"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("router-2: BROKEN"), "{ended:?}");
}

#[test]
fn rows_are_shown_to_people_and_to_programs() {
    let home = used();
    let tail = words(&home, &["tail", "-n", "3"]);
    let lines: Vec<&str> = tail.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].contains("owner") && lines[0].contains("runs (effects.none)"), "{tail}");
    assert!(lines[1].ends_with("HELLO_WORLD           ok"), "{tail}");
    assert!(lines[2].contains("NOTHING_SUCH          unknown (unknown_action): "), "{tail}");
    let rows = words(&home, &["export", "--json", "--since", "1h"]);
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 5);
    assert_eq!((&rows[0]["log"], &rows[0]["params"]["name"]), (&json!("router-1"), &json!("Ann")));
    assert_eq!(words(&home, &["export", "--since", "2999-01-01"]), "");
    let ended = audit(home.root(), &["export", "--since", "yesterday"]);
    assert!(ended.stderr.contains("a span such as 90m"), "{ended:?}");
    assert_eq!(words(&TempHome::greeting(), &["tail"]), "");
}

#[test]
fn what_is_written_later_is_shown_to_who_follows() {
    let home = used();
    let mut follow = Command::new(SAFECLAW)
        .args(["router", "audit", "tail", "-n", "1", "--follow", "--home"])
        .arg(home.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("router-1:5"));
    let mut router = router(&home);
    router.say(command("later", "NOTHING_SUCH", &json!({})));
    assert!(lines.next().unwrap().unwrap().contains("router-1:6"));
    follow.kill().unwrap();
    follow.wait().unwrap();
    router.end();
}

#[test]
fn what_acts_on_a_terminal_is_escaped() {
    let home = TempHome::greeting();
    let mut router = router(&home);
    let name = "A\u{1b}[2J\u{9b}\u{202e}nn\u{200b}\u{7f}";
    router.say(command("a", "HELLO_WORLD", &json!({ "name": name })));
    router.expect("\"message_id\":\"a\"");
    router.end();
    let hidden = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}".contains(c));
    assert!(!home.text(LOG).contains(hidden), "{:?}", home.text(LOG));
    for args in [&["tail"][..], &["export"], &["export", "--json"]] {
        assert!(!words(&home, args).contains(hidden), "{args:?}");
    }
    let row: Value = serde_json::from_str(home.text(LOG).lines().next().unwrap()).unwrap();
    assert_eq!(row["params"]["name"], name);
}

#[test]
fn a_disk_that_is_full_in_mid_row_stops_what_would_run_and_breaks_no_row() {
    let home = used();
    // The shell's limit on a file's size is a full disk for this file alone.
    let mut router = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$0\" router --pipe --home \"$1\"",
            SAFECLAW,
        ])
        .arg(home.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = router.stdin.take().unwrap();
    for count in 0..40 {
        let line = command(&format!("full-{count}"), "HELLO_WORLD", &json!({"name": "Ann"}));
        writeln!(stdin, "{line}").unwrap();
    }
    let answers = BufReader::new(router.stdout.take().unwrap()).lines().map(Result::unwrap);
    let answers = answers.filter(|line| line.contains("\"message_id\":\"full-"));
    let answers: Vec<String> = answers.take(40).collect();
    drop(stdin);
    router.wait().unwrap();
    let refused = answers.iter().filter(|answer| answer.contains("so nothing was run")).count();
    let ran = answers.len() - refused;
    let begun = home.text(LOG).matches("\"intent\"").count() - 2;
    assert!(
        refused > 0 && ran == begun,
        "{refused} refused, {ran} ran, {begun} begun: {answers:?}"
    );
    assert!(fs::metadata(home.root().join(LOG)).unwrap().len() <= 8 * 1024);
    let said = words(&home, &["verify"]);
    assert!(!said.contains("note"), "{said}");
}

/// A full file of a chain as a router leaves it behind, of about 9 MB.
fn full_file(home: &TempHome) -> u64 {
    let digest = |parts: &[&str]| {
        let mut state = Sha256::new();
        parts.iter().for_each(|part| state.update(part));
        data_encoding::HEXLOWER.encode(&state.finalize())
    };
    let (rows, mut hash, mut text) = (3_000, digest(&["router-1"]), String::new());
    for n in 1..=rows {
        let mut pad = hash.clone();
        while pad.len() < 3_000 {
            pad.push_str(&digest(&[&pad]));
        }
        let body = format!("{{\"n\":{n},\"row\":\"intent\",\"at\":{n},\"pad\":\"{pad}\"");
        hash = digest(&[&hash, &body]);
        text.push_str(&format!("{body},\"hash\":\"{hash}\"}}\n"));
    }
    home.put("router/audit/router-1.0001.jsonl", text);
    rows
}

#[test]
fn a_kill_while_a_full_file_is_compressed_loses_no_row() {
    let home = TempHome::new();
    let rows = full_file(&home);
    let there = |name: &str| home.router_audit().join(name).exists();
    let mut first = router(&home);
    first.ask(&command("a", "NOTHING_SUCH", &json!({})), "\"message_id\":\"a\"");
    wait_until("the router compresses", || there("router-1.gz.next"));
    first.kill();
    assert!(there("router-1.gz.next") && there("router-1.0001.jsonl"), "it was killed in between");
    let said = words(&home, &["verify"]);
    assert!(said.contains(&format!("{} rows in 2 files, all as written", rows + 2)), "{said}");
    let mut second = router(&home);
    second.ask(&command("b", "NOTHING_SUCH", &json!({})), "\"message_id\":\"b\"");
    wait_until("the full file is compressed", || !there("router-1.0001.jsonl"));
    let said = words(&home, &["verify"]);
    let whole = format!("{} rows in 2 files (1 of them compressed), all as written", rows + 3);
    assert!(said.contains(&whole), "{said}");
    assert!(there("router-1.0001.jsonl.gz") && !there("router-1.gz.next"));
    second.end();
}

#[test]
fn what_was_done_is_told_from_the_routers_own_book_and_a_first_prompt_holds_no_word_of_it() {
    let home = TempHome::greeting();
    let asks = "<tool_code>[{\"name\": \"_ACTS\", \"params\": {}}]</tool_code>";
    let server = OllamaServer::start([
        Says::text(
            "I have greeted Bob, too.<tool_code>[{\"name\": \"HELLO_WORLD\", \"params\": {\"name\": \"Ann\"}}]</tool_code>",
        ),
        Says::text("Done."),
        Says::text(asks),
        Says::text("By the book I have greeted Ann alone."),
        Says::text("This is new."),
    ]);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())]);
    chat.ask("Say hello to Ann and Bob.", "Done.");
    chat.ask("What did you just do?", "By the book I have greeted Ann alone.");
    let did = chat.ask("/did", "HELLO_WORLD ok {\"name\":\"Ann\"}");
    assert!(!did.contains("Bob"), "{did}");
    chat.ask("/new", "This is a new one.");
    chat.ask("Hello?", "This is new.");
    let prompts = server.prompts();
    let offered: Vec<bool> = prompts.iter().map(|prompt| prompt.contains("_ACTS")).collect();
    assert_eq!(offered, [false, false, true, true, false], "offered in a later turn alone");
    assert!(prompts[3].contains("HELLO_WORLD ok"), "{}", prompts[3]);
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn an_answer_is_no_act_of_its_own_and_a_permission_is_no_success() {
    let home = TempHome::greeting();
    home.put(
        "router/policy.toml",
        "[effects]\nnone = \"allow\"\n\n[[rules]]\naction = \"HELLO_WORLD\"\nthen = \"ask\"\n",
    );
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/run HELLO_WORLD {\"name\": \"Ann\"}", "/approve ");
    chat.ask("/deny", "HELLO_WORLD");
    // Nobody has this name, so there is no page to look at.
    chat.ask("Look at https://nowhere.invalid/.", "https://nowhere.invalid/");
    chat.ask("Post 'Hello World' to X.", "nothing was sent");
    let did = chat.ask("/did", "(nothing was sent)");
    let posted =
        "CREATE_POST dry run {\"platform\":\"X\",\"text\":\"Hello World\"} (nothing was sent)";
    assert!(did.contains(posted), "{did}");
    assert!(did.contains("HELLO_WORLD denied"), "{did}");
    assert!(did.contains("_BROWSER_VISION permitted"), "{did}");
    assert!(!did.contains("APPROVE") && !did.contains("_BROWSER_VISION ok"), "{did}");
    assert_eq!(chat.end().code(), Some(0));
}

/// The most memory that process `pid` has had, in kB.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

#[test]
fn a_large_log_costs_the_router_no_memory_when_it_tells_what_was_done() {
    let home = TempHome::greeting();
    let row = |n: usize| {
        let (row, at, hash) = (["intent", "outcome"][n % 2], 1_000 + n, "0".repeat(64));
        let session = if n < 4_000 { "telegram-9" } else { "owner" };
        let params = json!({"text": format!("{n}-{}", "x".repeat(4_000))});
        let row = json!({"row": row, "at": at, "message_id": format!("id-{}", n / 2), "status": "ok",
            "session": session, "action": "SHOPPING", "params": params});
        let row = row.to_string();
        format!("{{\"n\":{},{},\"hash\":\"{hash}\"}}\n", n + 1, &row[1..row.len() - 1])
    };
    home.put("router/audit/router-7.jsonl", (0..5_000).map(row).collect::<String>());
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    let before = peak(chat.router());
    let did = chat.ask("/did", "HELLO_WORLD ok");
    assert!(did.contains("SHOPPING") && did.contains("4998-x"), "{did}");
    let grown = peak(chat.router()) - before;
    assert!(grown < 5_000, "{grown} kB for a log of 20 MB");
    assert_eq!(chat.end().code(), Some(0));
}
