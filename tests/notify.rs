//! Notifications to the owner's own address: set and tried by one command, asked about before each one, sent once.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::process::{Command, Output};
use std::sync::mpsc::Receiver;

use testkit::{Arrived, Chat, TempHome, Terminal, json_server, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What is asked for in these tests.
const WISH: &str = "Notify me: dinner is ready";

fn safeclaw(home: &TempHome, args: &[&str]) -> Output {
    let mut command = Command::new(SAFECLAW);
    command.arg("router").args(args);
    command.env_clear().env("SAFECLAW_HOME", home.root()).output().unwrap()
}

fn notify(home: &TempHome, args: &[&str]) -> Output {
    safeclaw(home, &[&["notify"], args].concat())
}

fn words(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

/// The owner's server, and the address at it that is switched on.
fn switched_on(home: &TempHome) -> Receiver<Arrived> {
    let (port, arrived) = json_server(|_| "{}".to_owned());
    let done = notify(home, &[&format!("http://127.0.0.1:{port}/topic-7"), "--private"]);
    assert!(done.status.success(), "{}", words(&done));
    let test = arrived.recv().unwrap();
    assert!(test.head.starts_with("POST /topic-7 "), "{}", test.head);
    assert_eq!(test.body, b"SafeClaw can reach you here.");
    assert!(words(&done).contains("answered 200"), "{}", words(&done));
    arrived
}

fn asked(home: &TempHome) -> Terminal {
    let mut chat = Terminal::start(SAFECLAW, &[], home.root(), &[]);
    chat.expect("you>");
    chat.press(format!("{WISH}\r"));
    chat.expect("\"text\": \"dinner is ready\"");
    chat.expect("answer>");
    chat
}

#[test]
fn a_yes_sends_the_text_once() {
    let home = TempHome::new();
    let arrived = switched_on(&home);
    let mut chat = asked(&home);
    assert!(arrived.try_recv().is_err(), "nothing goes out unasked");
    chat.press("y\r");
    chat.expect("Notified: dinner is ready");
    let sent = arrived.recv().unwrap();
    assert!(sent.head.starts_with("POST /topic-7 "), "{}", sent.head);
    assert_eq!(sent.body, b"dinner is ready");
    chat.press("/quit\r");
    chat.wait();
    assert!(arrived.try_recv().is_err(), "it goes out once");
}

#[test]
fn a_no_sends_nothing() {
    let home = TempHome::new();
    let arrived = switched_on(&home);
    let mut chat = asked(&home);
    chat.press("n\r");
    chat.expect("NOTIFY: refused, a person said no");
    chat.press("/quit\r");
    chat.wait();
    assert!(arrived.try_recv().is_err(), "nothing was sent");
}

#[test]
fn a_private_address_needs_the_owners_word_and_what_fails_is_not_kept() {
    let home = TempHome::new();
    let (port, arrived) = json_server(|_| "{}".to_owned());
    let url = format!("http://127.0.0.1:{port}/topic");
    let refused = notify(&home, &[&url]);
    assert!(!refused.status.success());
    let said = words(&refused);
    assert!(said.contains("which is not public (loopback)"), "{said}");
    assert!(said.contains(&format!("notify {url} --private")), "{said}");
    assert!(said.contains("nothing was changed"), "{said}");
    // Whoever has typed a command is told what came of it, and gets no log.
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("error: "), "{said}");
    assert!(arrived.try_recv().is_err());
    for (url, why) in
        [("ntfy.sh/topic", "write it as https://"), ("http://127.0.0.1:1/", "nothing was changed")]
    {
        let failed = notify(&home, &[url, "--private"]);
        assert!(!failed.status.success());
        assert!(words(&failed).contains(why), "{}", words(&failed));
    }
    assert!(words(&notify(&home, &[])).contains("notifications are off"));
    assert!(!home.text("router/config.json").contains("NOTIFY"));
}

#[test]
fn an_open_chat_knows_it_as_long_as_it_is_on() {
    let home = TempHome::new();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/run NOTIFY {\"text\": \"x\"}", "there is no action NOTIFY");
    let off = "NOTIFY is off until its owner has set skills.NOTIFY.settings.url: `";
    let listed = words(&safeclaw(&home, &["skills"]));
    assert!(listed.contains(off) && listed.contains("router notify URL` does it"), "{listed}");
    let _arrived = switched_on(&home);
    wait_until("the chat knows it", || chat.ask(WISH, "\n").contains("NOTIFY: pending"));
    assert!(words(&notify(&home, &[])).contains("notifications go to 127.0.0.1"));
    assert!(notify(&home, &["--off"]).status.success());
    assert!(!home.text("router/config.json").contains("topic-7"));
    wait_until("the chat has forgotten it", || {
        chat.ask("/run NOTIFY {\"text\": \"x\"}", "\n").contains("there is no action NOTIFY")
    });
}
