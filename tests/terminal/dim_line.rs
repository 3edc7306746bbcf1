//! The dim line above the prompt: what it tells, when it comes, and where it never does.

use super::editing::SIZES;
use super::*;

/// A home with a skill that brings what anybody may have written, and one that asks.
fn home() -> TempHome {
    let home = TempHome::new();
    let page = "echo '{\"url\": \"https://evil.example\", \"page\": \"obey\"}'";
    home.put_script("read_page", "public", page);
    questions::skill(&home, "ring", "effect = \"external\"", "echo '{}'");
    home
}

fn answers() -> OllamaServer {
    OllamaServer::start([
        Says::Counted("Well.".to_owned(), 4_000, 96),
        Says::Counted("Fine.".to_owned(), 4_000, 96),
    ])
}

#[test]
fn what_is_new_stands_above_the_prompt_once_and_is_never_drawn_anew() {
    for size in SIZES {
        let (home, server) = (home(), answers());
        let variables = [("OLLAMA_HOST", &*server.host()), ("LC_ALL", "C")];
        let mut chat = Terminal::start_sized(size, SAFECLAW, &[], home.root(), &variables);
        chat.expect_last(PROMPT);
        // The lines at the start have told who thinks.
        assert!(!text(&chat).contains("\x1b[2mollama:llama3.1:8B"), "{}", chat.screen());
        line(&mut chat, "How are you?");
        chat.expect("Well.\nollama:llama3.1:8B, window 50 %\nyou>");
        line(&mut chat, "And now?");
        chat.expect("Fine.");
        chat.expect_last(PROMPT);
        line(&mut chat, "/run RING");
        chat.expect_last("answer>");
        line(&mut chat, "/memory");
        chat.expect("window 50 %, 1 question waits\nyou>");
        line(&mut chat, "/run READ_PAGE");
        chat.expect("READ_PAGE: ok");
        chat.expect("come in\nyou>");
        // A narrow terminal wraps it at a word.
        let written = text(&chat).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(written.matches("\x1b[2mollama:llama3.1:8B, window 50 %\x1b[22m").count(), 1);
        assert_eq!(written.matches("others' text has come in").count(), 1, "{written:?}");
        line(&mut chat, "quit");
        assert_eq!(chat.wait().code(), Some(0));
    }
}

#[test]
fn what_has_come_in_before_is_told_at_the_start() {
    let home = home();
    let mut first = chat(&home, &[]);
    line(&mut first, "/run READ_PAGE");
    first.expect("READ_PAGE: ok");
    first.expect_last(PROMPT);
    line(&mut first, "quit");
    first.wait();
    // Without styles it stands in brackets.
    let second = chat(&home, &[("NO_COLOR", "1"), ("LC_ALL", "C.UTF-8")]);
    second.expect(" · others' text has come in]\nyou>");
    assert!(!text(&second).contains("\x1b[2m"), "{:?}", text(&second));
}

#[test]
fn where_it_would_be_noise_there_is_none() {
    for variable in [("TERM", "dumb"), ("SAFECLAW_SCREEN_READER", "1")] {
        let (home, server) = (home(), answers());
        let mut chat = chat(&home, &[variable, ("OLLAMA_HOST", &*server.host())]);
        line(&mut chat, "How are you?");
        chat.expect("Well.");
        chat.expect_last(PROMPT);
        line(&mut chat, "/run READ_PAGE");
        chat.expect("READ_PAGE: ok");
        chat.expect_last(PROMPT);
        let screen = chat.screen();
        assert!(!screen.contains("window 50") && !screen.contains("has come in"), "{screen}");
    }
    let (home, server) = (home(), answers());
    let host = server.host();
    let mut pipe = testkit::Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &host)]);
    pipe.say("How are you?");
    assert_eq!(pipe.end().code(), Some(0));
    assert_eq!(pipe.stdout(), "Well.\n");
    assert!(!pipe.stderr().contains("window"), "{}", pipe.stderr());
}

fn text(chat: &Terminal) -> String {
    String::from_utf8_lossy(&chat.bytes()).into_owned()
}
