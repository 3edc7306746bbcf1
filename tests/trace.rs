//! One id follows a message from the channel to the skill and back, and one command gathers what it left.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::path::Path;
use std::process::Command;

use testkit::{Chat, RedisServer, TempHome, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What `safeclaw trace` says of the home: whether it went well, and its words.
fn trace(root: &Path, id: &[&str]) -> (bool, String) {
    let output = Command::new(SAFECLAW)
        .args(["--home", root.to_str().unwrap(), "trace"])
        .args(id)
        .env_clear()
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

/// The ids of the latest messages, the oldest first.
fn ids(root: &Path) -> Vec<String> {
    let (_, said) = trace(root, &[]);
    let lines = said.lines().filter(|line| line.starts_with("20"));
    lines.map(|line| line.split_whitespace().last().unwrap().to_owned()).collect()
}

/// A home with a skill that says something on stderr.
fn talkative() -> TempHome {
    let home = TempHome::greeting();
    home.put_script("whisper", "none", "echo 'a word beside' >&2; echo '{\"said\": true}'");
    home.put("router/skills/.known", "hello_world\nwhisper\n");
    home
}

#[test]
fn agent_router_audit_and_skill_name_the_message_and_no_other_one() {
    let home = talkative();
    assert!(!trace(home.root(), &[]).0, "nothing was said yet");
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("Say hello to Frankie.", "Hello, Frankie");
    chat.ask("/run WHISPER {}", "WHISPER:");
    chat.ask("/status", "workspace:");
    assert_eq!(chat.end().code(), Some(0));
    let ids = ids(home.root());
    assert_eq!(ids.len(), 3, "{ids:?}");
    let (found, said) = trace(home.root(), &[&ids[1]]);
    assert!(found, "{said}");
    for line in [
        "agent         INFO message{trace=",
        "the router is asked for WHISPER",
        "router        INFO command{trace=",
        "WHISPER has ended",
        "audit         router-1:",
        "whisper       WHISPER trace=",
        "a word beside",
        "it is answered",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("HELLO_WORLD"), "that was another message: {said}");
    let rows = home.text("router/audit/router-1.jsonl");
    let rows = rows.lines().filter(|row| row.contains("WHISPER"));
    assert!(rows.clone().count() == 2 && rows.clone().all(|row| row.contains(&ids[1])));
    let (found, said) = trace(home.root(), &["1"]);
    assert!(!found && said.contains("nothing is known of a message 1"), "{said}");
    let (found, said) = trace(home.root(), &["no id"]);
    assert!(!found && said.contains("0 to 9 and a to f"), "{said}");
}

#[test]
fn the_id_crosses_redis() {
    let server = RedisServer::start();
    let (mind, wall) = (TempHome::greeting(), talkative());
    let url = server.url();
    let variables = [("REDIS_URL", url.as_str())];
    let router = Chat::start(SAFECLAW, &["router"], wall.root(), &variables);
    router.expect_on_stderr("serving safeclaw:command_queue");
    let mut agent = Chat::start(SAFECLAW, &["agent"], mind.root(), &variables);
    agent.ask("/run WHISPER {}", "WHISPER:");
    assert_eq!(agent.end().code(), Some(0));
    let ids = ids(mind.root());
    let [id] = &ids[..] else { panic!("{ids:?}") };
    wait_until("the router logs it", || router.stderr().contains(&format!("trace={id} ")));
    let (found, said) = trace(wall.root(), &[id]);
    assert!(found && said.contains("audit") && said.contains("a word beside"), "{said}");
}
