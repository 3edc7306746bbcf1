//! Posting for real: the first-party skill, the proxy that adds the token, and an API on this machine that
//! checks what arrives.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::sync::mpsc::Receiver;

use testkit::{Arrived, Chat, TempHome, json_server};

const TOKEN: &str = "token-that-nobody-sees";

/// A server that speaks what Mastodon's API documents for `GET /api/v2/instance` and
/// `POST /api/v1/statuses`, and hands over every request.
fn mastodon() -> (u16, Receiver<Arrived>) {
    json_server(|request| {
        let answer = match request.path() {
            "/api/v2/instance" => r#"{"configuration":{"statuses":{"max_characters":500}}}"#,
            _ => r#"{"id":"77","url":"https://social.example/@me/77"}"#,
        };
        answer.to_owned()
    })
}

fn home(port: u16, policy: &str) -> TempHome {
    let home = TempHome::new();
    write_token(&home);
    let settings = format!(
        r#"{{"skills": {{"CREATE_POST": {{"settings": {{"mastodon_url": "http://127.0.0.1:{port}"}}, "allow_private": ["127.0.0.1:{port}"]}}}}}}"#
    );
    home.put("router/config.json", settings);
    home.put("router/policy.toml", policy);
    home
}

/// Nobody else may read it, from the first moment on: the router would refuse it.
fn write_token(home: &TempHome) {
    home::file::write(&home.router_env(), format!("MASTODON_TOKEN={TOKEN}\n").as_bytes()).unwrap();
}

fn chat(home: &TempHome) -> Chat {
    Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), &[])
}

fn next_post(arrived: &Receiver<Arrived>) -> Arrived {
    loop {
        let request = arrived.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        if request.head.starts_with("POST ") {
            return request;
        }
    }
}

const ALLOW: &str = "[effects]\nnone = \"allow\"\nlocal = \"allow\"\nexternal = \"allow\"\n";
const ASK: &str = "[effects]\nnone = \"allow\"\nlocal = \"allow\"\nexternal = \"ask\"\n";

#[test]
fn a_post_arrives_with_the_token_and_the_token_is_seen_nowhere_else() {
    let (port, arrived) = mastodon();
    let home = home(port, ALLOW);
    let mut chat = chat(&home);
    chat.ask(
        "Publish 'Hello Wörld' on Mastodon.",
        "CREATE_POST: ok, Posted on Mastodon: https://social.example/@me/77",
    );
    let post = next_post(&arrived);
    let head = post.head.to_ascii_lowercase();
    assert!(head.starts_with("post /api/v1/statuses http/1.1"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {TOKEN}")), "{head}");
    assert!(head.contains("idempotency-key: "), "{head}");
    let body: serde_json::Value = serde_json::from_slice(&post.body).unwrap();
    assert_eq!(body["status"], "Hello Wörld");
    // A post to a network without a token stays a dry run.
    chat.ask("Post 'Hello' to X.", "CREATE_POST: dry run, nothing was sent: X_TOKEN is not set");
    assert_eq!(chat.end().code(), Some(0));
    for said in [chat.stdout(), chat.stderr()] {
        assert!(!said.contains(TOKEN), "{said}");
    }
    let mut folders = vec![home.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path() != home.router_env() {
                let bytes = std::fs::read(entry.path()).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(TOKEN), "{}", entry.path().display());
            }
        }
    }
}

#[test]
fn a_fresh_policy_asks_first_and_without_a_terminal_the_post_stays_pending() {
    let (port, arrived) = mastodon();
    let home = home(port, ASK);
    let mut chat = chat(&home);
    chat.ask(
        "Publish 'Hello World' on Mastodon.",
        "CREATE_POST: pending, it waits for a person's yes",
    );
    assert_eq!(chat.end().code(), Some(0));
    assert!(arrived.try_recv().is_err(), "nothing was sent");
    let audit = home.text("router/audit/router-1.jsonl");
    assert!(
        audit.contains("\"code\":\"approval\"") && !audit.contains("\"row\":\"intent\""),
        "{audit}"
    );
}

#[test]
fn a_private_address_that_the_owner_did_not_allow_is_not_reached() {
    let (port, arrived) = mastodon();
    let home = home(port, ALLOW);
    home.put(
        "router/config.json",
        format!(r#"{{"skills": {{"CREATE_POST": {{"settings": {{"mastodon_url": "http://127.0.0.1:{port}"}}}}}}}}"#),
    );
    let mut chat = chat(&home);
    let failed = chat.ask("Publish 'Hello World' on Mastodon.", "\n");
    assert!(failed.contains("CREATE_POST: failed"), "{failed}");
    chat.ask(
        &format!("/run WEB_FETCH {{\"url\": \"http://127.0.0.1:{port}/\"}}"),
        "WEB_FETCH: failed",
    );
    chat.end();
    assert!(arrived.try_recv().is_err(), "nothing was sent");
}

#[test]
fn a_token_that_is_put_down_while_it_runs_counts_at_once() {
    let (port, arrived) = mastodon();
    let home = home(port, ALLOW);
    std::fs::remove_file(home.router_env()).unwrap();
    let mut chat = chat(&home);
    chat.ask("Publish 'Hello' on Mastodon.", "CREATE_POST: dry run");
    write_token(&home);
    testkit::wait_until("the post is real", || {
        chat.ask("Publish 'Hello' on Mastodon.", "CREATE_POST: ").is_empty()
            || chat.ask("/status", "workspace:").contains("Posted on Mastodon")
    });
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&next_post(&arrived).body).unwrap()["status"],
        "Hello"
    );
}
