//! The console at a real terminal: keys, interrupts, what moves, and what is left behind.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

mod dim_line;
mod editing;
mod languages;
mod notices;
mod own_editor;
mod questions;
mod wizard;

use testkit::{OllamaServer, Says, TempHome, Terminal, wait_until_runs};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");
const PROMPT: &str = "you>";
const ENTER: &str = "\r";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const CTRL_L: &str = "\x0c";
const UP: &str = "\x1b[A";
const LEFT: &str = "\x1b[D";
const HOW_TO_END: &str = "[Ctrl-C once more, or quit, ends it]";

/// A chat at its first prompt, with the settings that its terminal had before.
fn chat(home: &TempHome, variables: &[(&str, &str)]) -> Terminal {
    let chat = Terminal::start(SAFECLAW, &[], home.root(), variables);
    chat.expect_last(PROMPT);
    chat
}

fn chat_with(home: &TempHome, server: &OllamaServer) -> Terminal {
    chat(home, &[("OLLAMA_HOST", &server.host())])
}

/// The settings of a terminal that nobody has touched.
fn untouched() -> String {
    let home = TempHome::new();
    Terminal::start("true", &[], home.root(), &[]).settings()
}

fn never() -> Says {
    Says::Begins(String::new())
}

fn line(chat: &mut Terminal, text: &str) {
    chat.press(text);
    chat.press(ENTER);
}

#[test]
fn lines_can_be_edited_and_brought_back_also_after_a_restart() {
    let home = TempHome::new();
    // Without the help behind the line.
    let mut first = chat(&home, &[("NO_COLOR", "1")]);
    first.press("/memori");
    first.press(LEFT);
    first.press("\x7fr\x1b[3~y"); // Backspace, and Delete under the cursor.
    first.expect_last("you> /memory");
    first.press("\x15"); // Ctrl-U empties the line.
    line(&mut first, "/memory");
    first.expect("Nothing is remembered.");
    first.expect_last(PROMPT);
    first.press(UP);
    first.expect_last("you> /memory");
    first.press(CTRL_C);
    first.expect(HOW_TO_END);
    line(&mut first, "quit");
    assert_eq!(first.wait().code(), Some(0));
    let mut second = chat(&home, &[("NO_COLOR", "1")]);
    second.press(UP);
    second.press(UP);
    second.expect_last("you> /memory");
}

#[test]
fn a_tab_and_wide_characters_do_no_harm() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    line(&mut chat, "\tRemember my name is 数学家 e\u{301}👩‍👩‍👧.");
    chat.expect("_MEMORY_WRITE: ok");
    chat.expect_last(PROMPT);
    assert!(home.text("workspace/memory.json").contains("数学家 e\u{301}👩‍👩‍👧"));
}

#[test]
fn every_way_to_end_it_leaves_the_terminal_as_it_was() {
    let before = untouched();
    for ending in ["quit\r", "exit\r", "q\r", CTRL_D] {
        let home = TempHome::new();
        let mut chat = chat(&home, &[]);
        assert_ne!(chat.settings(), before, "the line editor has the terminal now");
        chat.press(ending);
        assert_eq!(chat.wait().code(), Some(0), "{ending:?}");
        assert_eq!(chat.settings(), before, "{ending:?}");
    }
}

#[test]
fn whoever_leaves_during_an_answer_stops_it() {
    let (home, server) = (TempHome::new(), OllamaServer::start([never()]));
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "hello");
    chat.expect("is thinking");
    line(&mut chat, "quit");
    assert_eq!(chat.wait().code(), Some(0));
    assert!(chat.screen().contains("[stopped]"), "{}", chat.screen());
}

#[test]
fn ctrl_c_at_the_prompt_says_how_to_end_it() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    chat.press("half a line");
    chat.press(CTRL_C);
    chat.expect(HOW_TO_END);
    line(&mut chat, "/memory");
    chat.expect("Nothing is remembered.");
    chat.press(CTRL_L);
    chat.expect_gone(HOW_TO_END);
    // Something was said in between, so this is a first one again.
    chat.press(CTRL_C);
    chat.expect(HOW_TO_END);
    chat.expect_last(PROMPT);
    chat.press(CTRL_C);
    assert_eq!(chat.wait().code(), Some(0));
    assert_eq!(chat.settings(), untouched());
}

#[test]
fn keys_that_are_pressed_too_early_are_not_lost() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    chat.press("Remember my name is Frankie.\rRemember my city is Rome.\r/memory\rhalf a ");
    chat.press("line");
    chat.expect("name: Frankie\ncity: Rome");
    chat.expect_last("you> half a line");
}

#[test]
fn ctrl_c_stops_a_turn_and_closes_its_connection() {
    let home = TempHome::new();
    let server = OllamaServer::start([never(), Says::text("I am back.")]);
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "Are you there?");
    chat.expect("llama3.1:8B at");
    testkit::wait_until("the model is asked", || server.prompts().len() == 1);
    chat.press(CTRL_C);
    chat.expect("[stopped]");
    chat.expect_last(PROMPT);
    testkit::wait_until("the connection is closed", || server.left() == 1);
    line(&mut chat, "And now?");
    chat.expect("I am back.");
    chat.expect_last(PROMPT);
    assert!(home.text("workspace/input_history.json").contains("Are you there?"));
}

#[test]
fn ctrl_c_in_a_turn_keeps_the_line_that_is_being_typed() {
    let (home, server) = (TempHome::new(), OllamaServer::start([never(), Says::text("Here.")]));
    let mut chat = chat(&home, &[("OLLAMA_HOST", &server.host()), ("NO_COLOR", "1")]);
    line(&mut chat, "Are you there?");
    testkit::wait_until("the model is asked", || server.prompts().len() == 1);
    chat.press("And where is my dr");
    chat.expect_last("you> And where is my dr");
    chat.press(CTRL_C);
    chat.expect("[stopped]");
    chat.expect_last("you> And where is my dr");
    line(&mut chat, "aft?");
    chat.expect("Here.");
    assert!(server.prompts()[1].contains("And where is my draft?"), "{:?}", server.prompts());
    // At the prompt it empties the line, as in a shell.
    chat.expect_last(PROMPT);
    chat.press("nothing");
    chat.press(CTRL_C);
    chat.expect_last(PROMPT);
}

#[test]
fn ctrl_c_twice_in_a_turn_ends_it() {
    let before = untouched();
    let home = TempHome::new();
    let server = OllamaServer::start([never()]);
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "Are you there?");
    testkit::wait_until("the model is asked", || server.prompts().len() == 1);
    chat.press(CTRL_C);
    chat.expect("[stopped]");
    chat.expect_last(PROMPT);
    chat.press(CTRL_C);
    assert_eq!(chat.wait().code(), Some(0));
    assert_eq!(chat.settings(), before);
}

#[test]
fn sigterm_leaves_the_terminal_as_it_was() {
    let before = untouched();
    let home = TempHome::new();
    let server = OllamaServer::start([never()]);
    let mut at_the_prompt = chat_with(&home, &server);
    at_the_prompt.press("half a line");
    at_the_prompt.expect("half a line");
    at_the_prompt.terminate();
    assert_eq!(at_the_prompt.wait().code(), Some(0));
    assert_eq!(at_the_prompt.settings(), before);
    testkit::wait_until("pasting is as it was", || {
        String::from_utf8_lossy(&at_the_prompt.bytes()).trim_end().ends_with("\x1b[?2004l")
    });
    let mut in_a_turn = chat_with(&home, &server);
    line(&mut in_a_turn, "Are you there?");
    testkit::wait_until("the model is asked", || server.prompts().len() == 1);
    in_a_turn.terminate();
    assert_eq!(in_a_turn.wait().code(), Some(0));
    assert_eq!(in_a_turn.settings(), before);
    testkit::wait_until("the connection is closed", || server.left() == 1);
}

#[test]
fn something_moves_while_the_model_thinks_and_words_come_as_they_are_said() {
    let home = TempHome::new();
    let server = OllamaServer::start([never(), Says::Begins("These words stand ".to_owned())]);
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "Are you there?");
    // Whoever interrupts before that leaves the first answer to the next message.
    testkit::wait_until("the model is asked", || server.prompts().len() == 1);
    chat.expect("is thinking");
    let shown = chat.screen();
    testkit::wait_until("it moves", || chat.screen() != shown);
    chat.press(CTRL_C);
    chat.expect_last(PROMPT);
    assert!(!chat.screen().contains("is thinking"), "{}", chat.screen());
    line(&mut chat, "Say something.");
    // The answer has no end, so this is no whole answer.
    chat.expect("These words stand");
    chat.press(CTRL_C);
    chat.expect_last(PROMPT);
    line(&mut chat, "quit");
    assert_eq!(chat.wait().code(), Some(0));
    assert!(home.text("workspace/input_history.json").contains("These words stand"));
}

#[test]
fn markdown_is_shown_whole_and_escapes_never_reach_the_terminal() {
    let home = TempHome::new();
    let evil = "# A title\n**bold** \x1b]0;owned\x07\x1b[2J\x1b[31mred\u{9b}5m \u{202e}right to left\n\
                - point\n\ttabbed 数\n\r\x08end.";
    // Cut in the middle of a sequence and of the marks.
    let pieces = evil.split_inclusive(['\x1b', '*']).map(str::to_owned).collect();
    let server = OllamaServer::start([Says::Pieces(pieces)]);
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "Say something.");
    chat.expect("end.");
    chat.expect_last(PROMPT);
    let screen = chat.screen();
    for shown in ["# A title\n**bold** ]0;owned[2J[31mred5m right to left", "- point", "tabbed 数"]
    {
        assert!(screen.contains(shown), "{shown:?} in\n{screen}");
    }
    let bytes = String::from_utf8_lossy(&chat.bytes()).into_owned();
    for order in ["\x1b]0;", "\x1b[2J", "\x1b[31m", "\u{9b}", "\u{202e}", "\x07"] {
        assert!(!bytes.contains(order), "{order:?} in {bytes:?}");
    }
}

/// What a model answers that writes code.
const CODE: &str = "```sh\n# rm -rf ~/old\ncp src/**/*.rs /tmp\n```\n2**10 is 1024.";

#[test]
fn what_a_model_wrote_reaches_a_terminal_and_a_pipe_with_every_character() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::text(CODE), Says::text(CODE)]);
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "code?");
    chat.expect("is 1024.");
    chat.expect_last(PROMPT);
    assert!(chat.screen().contains(CODE), "{}", chat.screen());
    line(&mut chat, "quit");
    chat.wait();
    let host = server.host();
    let mut pipe = testkit::Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &host)]);
    pipe.say("code?");
    assert_eq!(pipe.end().code(), Some(0));
    assert_eq!(pipe.stdout(), format!("{CODE}\n"));
}

#[test]
fn prose_is_wrapped_at_words() {
    let home = TempHome::new();
    let text = "wonderful ".repeat(40);
    let server = OllamaServer::start([Says::text(text.trim_end())]);
    let mut chat = chat_with(&home, &server);
    line(&mut chat, "well?");
    testkit::wait_until("all of it is shown", || chat.screen().matches("wonderful").count() == 40);
    let screen = chat.screen();
    let lines: Vec<&str> = screen.lines().filter(|line| line.contains("wonderful")).collect();
    assert!(
        lines.len() > 3 && lines.iter().all(|line| line.trim_end().ends_with("wonderful")),
        "{screen}"
    );
}

#[test]
fn what_is_typed_while_an_answer_comes_stands_there_and_counts_at_once() {
    let home = TempHome::new();
    let endless = || Says::Begins("These words stand ".to_owned());
    let server = OllamaServer::start([endless(), endless(), endless(), Says::text("I am back.")]);
    let mut chat = chat(&home, &[("NO_COLOR", "1"), ("OLLAMA_HOST", &server.host())]);
    let shown = |chat: &Terminal, count: usize| {
        let all = || chat.screen().matches("These words stand").count() == count;
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            testkit::wait_until("the words are shown", all);
        }));
        assert!(seen.is_ok(), "{count} in\n{}", chat.screen());
    };
    line(&mut chat, "Say something.");
    chat.expect("These words stand");
    chat.press("/can");
    chat.expect_last("you> /can");
    line(&mut chat, "cel");
    chat.expect("[stopped]");
    testkit::wait_until("the connection is closed", || server.left() == 1);
    // What can be told at once is told at once.
    line(&mut chat, "Once again.");
    shown(&chat, 2);
    line(&mut chat, "/status");
    chat.expect("a message is being answered now");
    chat.press(CTRL_C);
    chat.expect(HOW_TO_END);
    chat.expect_last(PROMPT);
    line(&mut chat, "Once more.");
    shown(&chat, 3);
    line(&mut chat, "And then?");
    chat.expect("[it is answered after 1 more message]");
    chat.press(CTRL_C);
    chat.expect("[stopped]");
    chat.expect("I am back.");
    line(&mut chat, "/quit");
    assert_eq!(chat.wait().code(), Some(0));
}

#[test]
fn the_kill_switch_takes_effect_while_a_skill_runs() {
    let home = TempHome::new();
    questions::skill(&home, "nap", "effect = \"external\"", "sleep 600\necho '{}'");
    home.put("router/policy.toml", "[effects]\nexternal = \"allow\"\n");
    let mut chat = chat(&home, &[]);
    line(&mut chat, "/run NAP");
    chat.expect("NAP is running");
    line(&mut chat, "/stop");
    chat.expect("Stopped: what ran is being ended");
    chat.expect("NAP: stopped, though it may have happened by then");
}

#[test]
fn a_terminal_that_can_not_edit_lines_is_written_to_line_by_line() {
    let home = TempHome::new();
    let mut chat = Terminal::start(SAFECLAW, &[], home.root(), &[("TERM", "dumb")]);
    chat.expect("skills:");
    chat.expect_last(PROMPT);
    line(&mut chat, "Remember my name is Frankie.");
    chat.expect("_MEMORY_WRITE: ok");
    chat.expect_last(PROMPT);
    line(&mut chat, "quit");
    assert_eq!(chat.wait().code(), Some(0));
}
