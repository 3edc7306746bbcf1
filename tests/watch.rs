//! Watches on real processes: what has changed is told, what has not costs nothing, and a model says only yes or no.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use serde_json::{Value, json};
use testkit::{Chat, OllamaServer, Says, TempHome, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// A home with a skill that brings a price of 9.
fn home() -> TempHome {
    let home = TempHome::greeting();
    home.put_script("price", "public", "printf '{\"text\": \"Shoes\\\\n9 euros\"}\\n'");
    home
}

/// The same with a watch that is due, of which this was seen last.
fn watching(seen: &str, more: &[(&str, Value)]) -> TempHome {
    let home = home();
    let mut watch = json!({"action": "PRICE", "params": {}, "seen": seen});
    for (key, value) in more {
        watch[key] = value.clone();
    }
    let job = json!({"id": "job-1", "text": "PRICE", "next": 1000, "cron": "0 0 1 1 *",
        "by": "console:owner", "made": 0, "watch": watch});
    home.put("workspace/scheduler.json", json!({"jobs": [job]}).to_string());
    home
}

fn job(home: &TempHome) -> Value {
    let file: Value = serde_json::from_str(&home.text("workspace/scheduler.json")).unwrap();
    file["jobs"][0].clone()
}

/// Waits until the watch has been looked at and what came of it was told.
fn looked(home: &TempHome) {
    wait_until("the watch was looked at", || {
        let job = job(home);
        job["next"] != 1000 && job["begun"].is_null() && job["watch"]["seen"] == "Shoes\n9 euros"
    });
}

fn start(home: &TempHome, variables: &[(&str, &str)]) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), variables)
}

#[test]
fn a_change_is_told_and_enters_the_conversation_only_then() {
    let home = watching("Shoes\n10 euros", &[]);
    let mut chat = start(&home, &[]);
    chat.expect("Watch job-1 has seen a change: PRICE\n- 10 euros\n+ 9 euros\n");
    chat.ask("/status", "text that others wrote has come in");
    assert_eq!(chat.end().code(), Some(0));
    looked(&home);
    assert!(home.text("workspace/input_history.json").contains("+ 9 euros"));
}

#[test]
fn where_nothing_has_changed_nothing_is_said_asked_or_kept() {
    let home = watching("Shoes\n9 euros", &[("only_when", json!("the price fell"))]);
    let ollama = OllamaServer::start([]);
    let host = ollama.host();
    let mut chat = start(&home, &[("OLLAMA_HOST", host.as_str())]);
    looked(&home);
    let status = chat.ask("/status", "workspace:");
    assert!(status.contains("nothing that others wrote and nothing private"), "{status}");
    assert_eq!(chat.end().code(), Some(0));
    assert!(!chat.stdout().contains("Watch"), "{}", chat.stdout());
    assert_eq!(ollama.prompts(), [""; 0]);
}

#[test]
fn a_model_says_only_whether_a_change_is_the_one_that_was_meant() {
    let condition = [("only_when", json!("the price fell"))];
    for (said, is_told) in [("No.", false), ("yes", true), ("Perhaps", true)] {
        let home = watching("Shoes\n10 euros", &condition);
        let ollama = OllamaServer::start([Says::text(said)]);
        let host = ollama.host();
        let mut chat = start(&home, &[("OLLAMA_HOST", host.as_str())]);
        looked(&home);
        chat.ask("/jobs", "[job-1]");
        assert_eq!(chat.end().code(), Some(0));
        assert_eq!(chat.stdout().contains("+ 9 euros"), is_told, "{said}: {}", chat.stdout());
        let prompts = ollama.prompts();
        assert_eq!(prompts.len(), 1, "{prompts:?}");
        assert!(prompts[0].contains("Is this so: the price fell?"), "{prompts:?}");
        // It is offered nothing to do, and nothing of the owner's.
        assert!(!prompts[0].contains("PRICE") && !prompts[0].contains("tool_code"), "{prompts:?}");
    }
}

#[test]
fn what_is_found_in_quiet_hours_waits_for_their_end_and_a_reminder_does_not() {
    let home = watching("Shoes\n10 euros", &[]);
    let minutes = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 60;
    let time = |minutes: u64| format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60);
    let quiet = |from: u64, to: u64| {
        let quiet = format!("{}-{}", time(minutes + from), time(minutes + to));
        home.put(
            "agent/config.json",
            json!({"clock": {"zone": "UTC", "quiet": quiet}}).to_string(),
        );
    };
    // From an hour ago to an hour from now.
    quiet(23 * 60, 25 * 60);
    let mut chat = start(&home, &[]);
    wait_until("something was found", || job(&home)["watch"]["news"].is_string());
    chat.ask("/remind 1s tea", "I'll remind you");
    chat.expect("Reminder: tea");
    let status = chat.ask("/status", "workspace:");
    assert!(status.contains("nothing that others wrote and nothing private"), "{status}");
    assert!(!chat.stdout().contains("has seen a change"), "{}", chat.stdout());
    assert_eq!(chat.end().code(), Some(0));
    // The same after the next start, and what has waited is told once the hours are over.
    let mut chat = start(&home, &[]);
    chat.ask("/remind 1s coffee", "I'll remind you");
    chat.expect("Reminder: coffee");
    assert!(!chat.stdout().contains("has seen a change"), "{}", chat.stdout());
    assert_eq!(chat.end().code(), Some(0));
    quiet(120, 180);
    let mut chat = start(&home, &[]);
    chat.expect("Watch job-1 has seen a change: PRICE\n- 10 euros\n+ 9 euros\n");
    // What was found before the start is others' text after it, too.
    chat.ask("/status", "text that others wrote has come in");
    assert_eq!(chat.end().code(), Some(0));
    looked(&home);
}

#[test]
fn what_was_found_before_a_kill_is_told_after_it() {
    let news = ("news", json!("Watch job-1 has seen a change: PRICE\n+ 9 euros"));
    let home = watching("Shoes\n9 euros", &[news]);
    let file =
        home.text("workspace/scheduler.json").replace("\"next\":1000", "\"begun\":1,\"next\":1000");
    assert!(file.contains("begun"), "{file}");
    home.put("workspace/scheduler.json", file);
    let chat = start(&home, &[]);
    chat.expect_on_stderr("router:");
    let mut chat = chat;
    chat.expect("Watch job-1 has seen a change: PRICE\n+ 9 euros");
}

#[test]
fn a_watch_is_set_by_its_first_look_and_only_looks() {
    let home = home();
    let mut chat = start(&home, &[]);
    let agreed = chat.ask("/watch 0 9 * * 1-5 PRICE {} only when it fell", "takes it back.");
    assert!(agreed.contains("PRICE: ok"), "{agreed}");
    assert!(agreed.contains("tell you what has changed: PRICE, only when it fell"), "{agreed}");
    assert_eq!(job(&home)["watch"]["seen"], "Shoes\n9 euros");
    // The look has an account of its own.
    let status = chat.ask("/status", "workspace:");
    assert!(status.contains("nothing that others wrote and nothing private"), "{status}");
    for (line, told) in [
        ("/watch 0 9 * * * CREATE_POST {\"text\": \"x\"}", "a watch only looks"),
        ("/watch 0 9 * * * NO_SUCH", "the first look brought nothing: there is no action NO_SUCH"),
        ("/watch 0 9 PRICE", "say when, and what is looked at"),
    ] {
        chat.say(line);
        chat.expect_on_stderr(told);
    }
    chat.ask("/jobs", "watches PRICE, only when it fell");
    chat.ask("/cancel job-1", "job-1");
    chat.ask("/jobs", "Nothing is set");
}
