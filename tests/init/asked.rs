//! The set-up at a terminal.

#[cfg(feature = "telegram")]
use std::fs::Permissions;
#[cfg(feature = "telegram")]
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
#[cfg(feature = "telegram")]
use testkit::{BOT_TOKEN, BotApi, Chat};
use testkit::{OllamaServer, Says, TempHome, Terminal};

use super::{SAFECLAW, config, files, free, init};

const DOWN: &str = "\x1b[B";

/// All questions, as they are put one after the other.
const QUESTIONS: [&str; 9] = [
    "Which model should think?",
    "Talk with it over Telegram as well?",
    "A page to talk on in your browser",
    "A page of the router's own",
    "passages in papers of yours",
    "When should it ask for your yes?",
    "A PIN, entered in each chat once a day",
    "Hours in which watches tell you nothing?",
    "Where should the router run?",
];

/// How many of them come before that of the PIN.
const BEFORE_THE_PIN: usize = 6;

/// Answers each of these questions with Enter.
fn enter(asked: &mut Terminal, questions: &[&str]) {
    for question in questions {
        asked.expect(question);
        asked.press("\r");
    }
}

fn at_a_terminal(home: &TempHome, server: &OllamaServer) -> Terminal {
    Terminal::start(SAFECLAW, &["init"], home.root(), &[("OLLAMA_HOST", &server.host())])
}

#[test]
fn at_a_terminal_enter_keeps_what_is_set_and_a_summary_comes_before_anything_is_written() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::text("ready")]);
    let mut asked = at_a_terminal(&home, &server);
    asked.expect("Which model should think?");
    for name in OllamaServer::MODELS {
        asked.expect(name);
    }
    asked.press(DOWN);
    enter(&mut asked, &QUESTIONS);
    asked.expect("Times are those of");
    asked.expect("Write it?");
    asked.expect("It changes agent/config.json.");
    assert!(!home.root().join("agent/config.json").exists());
    asked.press("\r");
    asked.expect("opens a chat");
    assert_eq!(asked.wait().code(), Some(0));
    assert_eq!(config(&home)["llm"]["model"], OllamaServer::MODELS[1]);
}

#[test]
fn a_pin_is_typed_twice_and_set_by_the_router_once_all_is_written() {
    let home = TempHome::new();
    assert!(init(&home, &["--model", "offline", "--yes"], "127.0.0.1:1").1);
    let server = OllamaServer::start([Says::text("ready"), Says::text("ready")]);
    let mut asked = at_a_terminal(&home, &server);
    enter(&mut asked, &QUESTIONS[..BEFORE_THE_PIN]);
    asked.expect("A PIN, entered in each chat once a day");
    asked.press(DOWN);
    asked.press("\r");
    for (asks, types) in [
        ("? New PIN", "123"),
        ("? New PIN", "493817"),
        ("? The same once more", "493818"),
        ("? New PIN", "493817"),
        ("? The same once more", "493817"),
    ] {
        // Between two questions the terminal shows what is typed.
        asked.expect_last(asks);
        asked.press(format!("{types}\r"));
    }
    asked.expect("Hours in which watches tell you nothing?");
    for told in ["A PIN is 4 to 6 digits and nothing else.", "The two were not the same."] {
        asked.expect(told);
    }
    asked.press(DOWN);
    asked.press("\r");
    asked.expect("Where should the router run?");
    asked.press("\r");
    asked.expect("It changes agent/config.json, router/pin.json.");
    asked.expect("Write it?");
    assert!(!home.root().join("router/pin.json").exists());
    asked.press("\r");
    asked.expect("opens a chat");
    assert_eq!(asked.wait().code(), Some(0));
    assert!(!asked.screen().contains("493817"), "{}", asked.screen());
    assert_eq!(config(&home)["clock"]["quiet"], "22:00-07:00");
    let everything = files(home.root());
    let has =
        |text: &str| everything.values().any(|file| String::from_utf8_lossy(file).contains(text));
    assert!(!has("493817"), "the PIN stands in a file");
    assert!(home.text("router/pin.json").contains("$argon2id$"));
    assert!(has("set_pin"), "the audit log has no row of it");
    let mut asked = at_a_terminal(&home, &server);
    enter(&mut asked, &QUESTIONS[..BEFORE_THE_PIN]);
    asked.expect("keep the one that is set");
    asked.press(DOWN);
    asked.press(DOWN);
    asked.press("\r");
    enter(&mut asked, &QUESTIONS[BEFORE_THE_PIN + 1..]);
    asked.expect("It changes router/pin.json.");
    asked.expect("Write it?");
    asked.press("\r");
    asked.expect("opens a chat");
    assert_eq!(asked.wait().code(), Some(0));
    assert!(!home.root().join("router/pin.json").exists());
}

#[test]
fn a_model_that_is_kept_and_does_not_answer_is_told_as_such_at_the_end() {
    let home = TempHome::new();
    let nobody = format!("http://{}/v1", free());
    let llm = json!({"provider": "openai", "model": "gone", "base_url": nobody});
    home.put("agent/config.json", json!({"llm": llm}).to_string());
    let server = OllamaServer::start([]);
    let mut asked = at_a_terminal(&home, &server);
    asked.expect("as it is set: openai:gone");
    asked.press("as it is set");
    asked.expect_gone("no model: sentences");
    enter(&mut asked, &QUESTIONS);
    asked.expect("opens a chat");
    let said = asked.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(&format!("openai:gone@{nobody}, which does not answer: ")), "{said}");
    assert_eq!(asked.wait().code(), Some(0));
}

#[test]
fn ctrl_c_at_any_question_changes_nothing() {
    let home = TempHome::new();
    assert!(init(&home, &["--model", "offline", "--yes"], "127.0.0.1:1").1);
    let before = files(home.root());
    let questions = [&QUESTIONS[..], &["Write it?"]].concat();
    for last in 0..questions.len() {
        let server = OllamaServer::start([Says::text("ready")]);
        let mut asked = at_a_terminal(&home, &server);
        for (at, question) in questions.iter().enumerate().take(last + 1) {
            asked.expect(question);
            asked.press(if at == last { "\x03" } else { "\r" });
        }
        asked.expect("ended by you, and nothing was changed");
        assert_eq!(asked.wait().code(), Some(1), "{}", questions[last]);
        assert_eq!(files(home.root()), before, "{}", questions[last]);
    }
}

#[test]
fn what_somebody_else_has_changed_meanwhile_is_not_overwritten() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::text("ready")]);
    let mut asked = at_a_terminal(&home, &server);
    enter(&mut asked, &QUESTIONS);
    asked.expect("Write it?");
    home.put("agent/config.json", r#"{"timeout": 25}"#);
    asked.press("\r");
    asked.expect("was changed meanwhile, so nothing was written");
    assert_eq!(asked.wait().code(), Some(1));
    assert_eq!(config(&home), json!({"timeout": 25}));
}

#[cfg(feature = "telegram")]
#[test]
fn who_pairs_once_more_keeps_the_guests_what_waits_and_sends_no_message() {
    let (api, home) = (BotApi::new(), TempHome::greeting());
    let telegram = json!({"owner": 42, "allow": [7], "api_url": api.url()});
    home.put("agent/config.json", json!({"telegram": telegram}).to_string());
    home.put(".env", format!("TELEGRAM_BOT_TOKEN={BOT_TOKEN}\n"));
    std::fs::set_permissions(home.env_file(), Permissions::from_mode(0o600)).unwrap();
    let waits = json!({"chat": 7, "message": 5, "text": "What does a pump cost?"});
    home.put("workspace/telegram.json", json!({"bot": 4711, "unanswered": [waits]}).to_string());
    api.says(7, "Say hello to Cleo.");
    let server = OllamaServer::start([Says::text("ready")]);
    let mut asked = at_a_terminal(&home, &server);
    enter(&mut asked, &QUESTIONS[..1]);
    asked.expect("A Telegram bot is set.");
    asked.press("y\r");
    asked.expect("token");
    asked.press("\r");
    asked.expect("does so at once");
    let screen = asked.screen();
    let code = screen.split("?start=").nth(1).unwrap().split_whitespace().next().unwrap();
    api.says(42, code);
    asked.expect("The owner is ");
    enter(&mut asked, &QUESTIONS[2..]);
    asked.expect("workspace/telegram.json.");
    asked.expect("Write it?");
    asked.press("\r");
    asked.expect("opens a chat");
    assert_eq!(asked.wait().code(), Some(0));
    assert_eq!(config(&home)["telegram"]["allow"], json!([7]));
    assert!(home.text("workspace/telegram.json").contains("What does a pump cost?"));
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    let _ = api.wait_for(7, "HELLO_WORLD: ok");
    api.says(42, "Say hello to Ann.");
    chat.expect("telegram:42> Say hello to Ann.");
    let _ = api.wait_for(42, "HELLO_WORLD: ok");
    assert!(!chat.stdout().contains(code), "{}", chat.stdout());
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn the_first_chat_at_a_terminal_offers_it_and_the_second_does_not() {
    let home = TempHome::new();
    for is_offered in [true, false] {
        let mut chat = Terminal::start(SAFECLAW, &[], home.root(), &[]);
        chat.expect_last("you>");
        assert_eq!(chat.screen().contains("init` asks a few questions"), is_offered);
        chat.press("/quit\r");
        chat.wait();
    }
}
