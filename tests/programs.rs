//! The whole house with the channel for programs: without a person, beside one, and when a channel can't be had.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use testkit::{Chat, OllamaServer, Says, TempHome, free_port, wait_until};

const TOKEN: &str = "5cd7b3b0a1f24f6ca2a4d7a35cbf4f10";

/// A home with these settings and what stands in `.env`.
fn home(settings: &Value, env: &str) -> TempHome {
    let home = TempHome::greeting();
    home.put("agent/config.json", settings.to_string());
    home.put(".env", env);
    std::fs::set_permissions(home.env_file(), std::fs::Permissions::from_mode(0o600)).unwrap();
    home
}

fn http_home(port: u16) -> TempHome {
    let listen = format!("127.0.0.1:{port}");
    home(&json!({"http": {"listen": listen}}), &format!("SAFECLAW_HTTP_TOKEN={TOKEN}\n"))
}

fn safeclaw(home: &TempHome) -> Chat {
    started(home, &[])
}

fn started(home: &TempHome, variables: &[(&str, &str)]) -> Chat {
    Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), variables)
}

/// What `POST /v1/messages` answers, once somebody listens there.
fn asked(port: u16, text: &str) -> String {
    let mut stream = None;
    wait_until("programs are served", || {
        stream = TcpStream::connect(("127.0.0.1", port)).ok();
        stream.is_some()
    });
    let mut stream = stream.unwrap();
    let body = json!({"text": text}).to_string();
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn without_a_person_programs_are_served_until_it_is_terminated() {
    let port = free_port();
    let home = http_home(port);
    let mut service = safeclaw(&home);
    service.close();
    let answer = asked(port, "Say hello to Ann.");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("HELLO_WORLD: ok"), "{answer}");
    service.terminate();
    assert_eq!(service.wait().code(), Some(0));
    let history = home.text("workspace/input_history.json");
    assert!(history.contains("Say hello to Ann."), "{history}");
}

#[test]
fn a_turn_that_runs_when_it_is_terminated_is_kept() {
    let port = free_port();
    let home = http_home(port);
    let server = OllamaServer::start([Says::Begins("Well".to_owned())]);
    let mut service = started(&home, &[("OLLAMA_HOST", &*server.host())]);
    service.close();
    let asking = std::thread::spawn(move || asked(port, "How are you?"));
    wait_until("the model is asked", || !server.prompts().is_empty());
    service.terminate();
    assert_eq!(service.wait().code(), Some(0));
    asking.join().unwrap();
    let history = home.text("workspace/input_history.json");
    assert!(history.contains("How are you?"), "{history}");
}

#[test]
fn a_port_that_is_taken_leaves_the_console_working() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let home = http_home(port);
    let mut chat = safeclaw(&home);
    chat.expect_on_stderr("can't be listened on");
    chat.expect_on_stderr("the other channels go on");
    chat.ask("Say hello to Bob.", "HELLO_WORLD: ok");
    let status = chat.ask("/status", "workspace: ");
    assert!(status.contains("off: 127.0.0.1:"), "{status}");
    chat.say("/web");
    chat.expect_on_stderr("the page is off: 127.0.0.1:");
    assert_eq!(chat.end().code(), Some(0));
    assert!(chat.stderr().contains("agent config http 127.0.0.1:PORT`"));
    assert!(!chat.stdout().contains("/sign-in"), "{}", chat.stdout());
}

#[cfg(feature = "telegram")]
#[test]
fn a_token_that_telegram_does_not_know_leaves_the_console_working() {
    let wrong = "4711:another-token-than-the-servers";
    let api = testkit::BotApi::new();
    let settings = json!({"telegram": {"owner": 42, "api_url": api.url()}});
    let home = home(&settings, &format!("TELEGRAM_BOT_TOKEN={wrong}\n"));
    let mut chat = safeclaw(&home);
    chat.expect_on_stderr("Telegram does not know the bot's token (401)");
    chat.ask("Say hello to Bob.", "HELLO_WORLD: ok");
    assert_eq!(chat.end().code(), Some(0));
    let shown = [chat.stdout(), chat.stderr()].concat();
    assert!(
        shown.contains("the other channels go on") && !shown.contains("another-token"),
        "{shown}"
    );
}
