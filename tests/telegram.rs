//! The whole house with a Telegram bot: one conversation at the terminal and in the chat, and what a kill leaves behind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![cfg(feature = "telegram")]

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use testkit::{BOT_TOKEN, BotApi, Chat, OllamaServer, Says, TempHome};

const OWNER: i64 = 42;
const GUEST: i64 = 7;

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
