//! The whole house with a Telegram bot: one conversation at the terminal and in the chat, and what a kill leaves behind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![cfg(feature = "telegram")]

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use testkit::{BOT_TOKEN, BotApi, Chat, OllamaServer, Says, TempHome};

const OWNER: i64 = 42;
const GUEST: i64 = 7;

/// Runs a command of the owner's.
#[allow(clippy::disallowed_types, reason = "the owner's commands are processes")]
fn owner(home: &TempHome, args: &[&str]) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_safeclaw"));
    command.args(args).arg("--home").arg(home.root());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A home whose owner has paired.
fn home(api: &BotApi) -> TempHome {
    let home = TempHome::greeting();
    let telegram = json!({"owner": OWNER, "allow": [GUEST], "api_url": api.url()});
    home.put("agent/config.json", json!({"telegram": telegram}).to_string());
    home.put(".env", format!("TELEGRAM_BOT_TOKEN={BOT_TOKEN}\n"));
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(home.env_file(), mode).unwrap();
    home
}

fn safeclaw(home: &TempHome, variables: &[(&str, &str)]) -> Chat {
    Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), variables)
}

#[test]
fn the_owner_has_one_conversation_in_two_places() {
    let api = BotApi::new();
    let home = home(&api);
    let mut chat = safeclaw(&home, &[]);
    chat.expect_on_stderr("telegram: on, user 42 is the owner, and 1 more may talk");
    chat.ask("/status", "workspace:");
    api.says(OWNER, "Say hello to Ann.");
    chat.expect("telegram:42> Say hello to Ann.");
    let _ = api.wait_for(OWNER, "HELLO_WORLD: ok");
    chat.ask("Say hello to Bob.", "HELLO_WORLD: ok");
    let _ = api.wait_for(OWNER, "console:owner> Say hello to Bob.");
    api.says(GUEST, "Say hello to Cleo.");
    let _ = api.wait_for(GUEST, "HELLO_WORLD: ok");
    assert!(!api.texts(OWNER).join("\n").contains("Cleo"));
    assert!(!api.texts(GUEST).join("\n").contains("Bob"));
    let router = std::fs::read(format!("/proc/{}/environ", chat.router())).unwrap();
    assert_eq!(chat.end().code(), Some(0));
    let shown = [chat.stdout(), chat.stderr(), home.text("workspace/agent.log")].concat();
    let router = String::from_utf8_lossy(&router).into_owned();
    assert!(!shown.contains("tests-own") && !router.contains("tests-own"), "{shown}");
    assert!(!shown.contains("Cleo"), "{shown}");
}

#[test]
fn a_guest_joins_with_a_code_and_is_unpaired_for_good() {
    let api = BotApi::new();
    let home = home(&api);
    let papers = tempfile::tempdir().unwrap();
    std::fs::set_permissions(papers.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let paper = papers.path().canonicalize().unwrap().join("prices.md");
    std::fs::write(&paper, "# Pump\n\nA pump costs PUBLIC-12.\n").unwrap();
    owner(&home, &["router", "library", "add", "--public", paper.to_str().unwrap()]);
    let mut chat = safeclaw(&home, &[]);
    chat.expect_on_stderr("telegram: on, user 42 is the owner, and 1 more may talk");
    // The bot is known once Telegram was asked.
    api.wait_until_read();
    let told = chat.ask("/pair", "sends it.");
    let code = told.split("/start ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    api.says(9, &format!("/start {code}"));
    let _ = api.wait_for(9, "You are in.");
    chat.expect_on_stderr("has joined with your code");
    api.says(9, "Say hello to Ann.");
    let _ = api.wait_for(9, "HELLO_WORLD: ok");
    for (command, answer) in [
        ("/search pump", "PUBLIC-12"),
        ("/ask What does a pump cost?", "model"),
        ("/docs", "1 file, 1 passage"),
        ("/status", "this chat (telegram-9)"),
        ("/help", "only the owner may use"),
        ("/memory", "remembered"),
        ("/remember I like tea", "Noted."),
        ("/forget note 1", "Forgotten: I like tea"),
        ("/skills", "- hello_world"),
        ("/pair", "only the owner says who may talk here"),
        ("/unpair 7", "only the owner says who may talk here"),
    ] {
        let before = api.texts(9).len();
        api.says(9, command);
        testkit::wait_until(command, || api.texts(9).len() > before);
        let told = api.texts(9)[before..].join("\n");
        assert!(told.contains(answer), "{command}: {told}");
    }
    let shown = chat.ask("/unpair", "ends that for one of them.");
    assert!(shown.contains("\n9") || shown.contains("9 "), "{shown}");
    assert_eq!(chat.end().code(), Some(0));
    // It is known after a restart.
    let mut chat = safeclaw(&home, &[]);
    chat.expect_on_stderr("and 2 more may talk");
    chat.say("/unpair 55");
    chat.expect_on_stderr("55 is none of those who may talk");
    chat.ask("/unpair 9", "may not talk any more");
    let before = api.texts(9).len();
    api.says(9, "Say hello to Bob.");
    api.wait_until_read();
    api.says(OWNER, "Say hello to Cleo.");
    let _ = api.wait_for(OWNER, "HELLO_WORLD: ok");
    assert_eq!(api.texts(9).len(), before);
    assert_eq!(chat.end().code(), Some(0));
    let chat = safeclaw(&home, &[]);
    chat.expect_on_stderr("and 1 more may talk");
    assert!(home.text("agent/config.json").contains("7"));
}

#[test]
fn the_token_of_the_environment_stays_with_the_mind() {
    let api = BotApi::new();
    let home = home(&api);
    std::fs::remove_file(home.env_file()).unwrap();
    let mut chat = safeclaw(&home, &[("TELEGRAM_BOT_TOKEN", BOT_TOKEN)]);
    chat.ask("/status", "telegram: on");
    let router = std::fs::read(format!("/proc/{}/environ", chat.router())).unwrap();
    assert!(!String::from_utf8_lossy(&router).contains("TELEGRAM"));
}

#[test]
fn what_a_killed_agent_did_not_answer_is_told_and_not_run_again() {
    let api = BotApi::new();
    let home = home(&api);
    let server = OllamaServer::start([Says::Begins("Well".to_owned()), Says::text("Here I am.")]);
    let variables = [("OLLAMA_HOST", &*server.host())];
    let mut dies = safeclaw(&home, &variables);
    dies.ask("/status", "workspace:");
    api.says(OWNER, "pay Bob");
    let _ = api.wait_for(OWNER, "Well");
    dies.kill();
    let mut lives = safeclaw(&home, &variables);
    let _ = api.wait_for(OWNER, "it was not run again: pay Bob");
    api.says(OWNER, "hello");
    let _ = api.wait_for(OWNER, "Here I am.");
    assert_eq!(server.prompts().len(), 2, "{:?}", server.prompts());
    lives.terminate();
    assert_eq!(lives.wait().code(), Some(0));
}

#[test]
fn without_a_terminal_it_serves_until_it_is_terminated() {
    let api = BotApi::new();
    let home = home(&api);
    let mut service = safeclaw(&home, &[]);
    service.close();
    api.says(OWNER, "Say hello to Ann.");
    let _ = api.wait_for(OWNER, "HELLO_WORLD: ok");
    service.terminate();
    assert_eq!(service.wait().code(), Some(0));
}

#[test]
fn a_pin_is_taken_in_the_private_chat_alone_and_its_message_is_deleted() {
    const GROUP: i64 = -100;
    let api = BotApi::new();
    let home = home(&api);
    let telegram = json!({"owner": OWNER, "allow": [GUEST, GROUP], "api_url": api.url()});
    home.put("agent/config.json", json!({"telegram": telegram}).to_string());
    home.put(
        "router/policy.toml",
        "[effects]\nnone = \"allow\"\nlocal = \"allow\"\n[pin]\nfor = [\"HELLO_WORLD\"]\n",
    );
    let mut set = set_pin(&home);
    assert!(set.wait().unwrap().success());
    let mut chat = safeclaw(&home, &[]);
    chat.ask("/status", "workspace:");
    api.says(OWNER, "Say hello to Ann.");
    let _ = api.wait_for(OWNER, "write your PIN here");
    api.update(json!({"message": {"message_id": 900, "date": 4_000_000_000_i64, "text": "493817",
        "chat": {"id": GROUP, "type": "supergroup", "title": "G"},
        "from": {"id": OWNER, "is_bot": false, "first_name": "P"}}}));
    let _ = api.wait_for(GROUP, "a PIN counts in our private chat alone");
    for left in ["2 more wrong", "1 more wrong"] {
        api.says(OWNER, "000017");
        let _ = api.wait_for(OWNER, left);
    }
    api.says(OWNER, "493817");
    let _ = api.wait_for(OWNER, "HELLO_WORLD: ok");
    testkit::wait_until("what was typed is deleted", || api.calls("deleteMessage").len() >= 4);
    api.says(OWNER, "Say hello to Bob.");
    let _ = api.wait_for(OWNER, "Hello, Bob");
    // Another chat of the owner's has to say it, too, and its lock is told here.
    chat.ask("Say hello to Cleo.", "type your PIN and nothing else");
    for left in ["2 more wrong", "1 more wrong"] {
        chat.say("000017");
        chat.expect_on_stderr(left);
    }
    chat.say("000017");
    let _ = api.wait_for(OWNER, "the PIN was typed wrong three times, last by console:owner");
    assert_eq!(chat.end().code(), Some(0));
    let shown = [chat.stdout(), home.text("workspace/agent.log")].concat();
    assert!(!shown.contains("493817") && !shown.contains("000017"), "{shown}");
}

/// Sets the PIN 493817.
#[allow(clippy::disallowed_types, reason = "the owner's commands are processes")]
fn set_pin(home: &TempHome) -> std::process::Child {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_safeclaw"));
    command.args(["router", "pin", "set", "--home"]).arg(home.root()).stdin(Stdio::piped());
    let mut set = command.stdout(Stdio::null()).spawn().unwrap();
    set.stdin.take().unwrap().write_all(b"493817\n").unwrap();
    set
}

#[test]
fn a_paper_that_is_sent_is_asked_about_and_found() {
    let api = BotApi::new();
    let home = home(&api);
    let files = home.workspace().join("files");
    std::fs::create_dir_all(&files).unwrap();
    owner(&home, &["router", "library", "allow", files.to_str().unwrap()]);
    let mut chat = safeclaw(&home, &[]);
    chat.ask("/status", "workspace:");
    api.sends_file(OWNER, "pump.md", b"# Pump\n\nThe pump is oiled in May.\n", json!({}));
    let _ = api.wait_for(OWNER, "1 public");
    api.says(OWNER, "2");
    let _ = api.wait_for(OWNER, "1 file indexed");
    api.says(OWNER, "/search when is the pump oiled");
    let _ = api.wait_for(OWNER, "oiled in May");
    assert_eq!(chat.end().code(), Some(0));
}
