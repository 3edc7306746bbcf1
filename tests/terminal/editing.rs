//! Lines as they are typed: completed, of several rows, pasted, and found again; and what the terminal is told beside.

use super::*;

const TAB: &str = "\t";
const ALT_ENTER: &str = "\x1b\r";
const CTRL_R: &str = "\x12";

/// The terminals that people have: a usual one and a small one.
pub(crate) const SIZES: [(u16, u16); 2] = [(100, 30), (60, 20)];

fn sized(size: (u16, u16), home: &TempHome, variables: &[(&str, &str)]) -> Terminal {
    let chat = Terminal::start_sized(size, SAFECLAW, &[], home.root(), variables);
    chat.expect_last(PROMPT);
    chat
}

/// What was said last, as the history has it.
pub(crate) fn said(home: &TempHome, text: &str) {
    testkit::wait_until(&format!("{text:?} was said"), || {
        let history = std::fs::read_to_string(home.workspace().join("input_history.json"));
        history.is_ok_and(|history| history.contains(text))
    });
}

#[test]
fn a_byte_that_is_no_utf_8_ends_no_chat_and_the_rest_of_its_paste_is_no_line() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    chat.press(b"M\xfcnchen\r/help\r");
    chat.expect("a byte that is no UTF-8 was typed, and the line is not sent");
    chat.expect_last(PROMPT);
    line(&mut chat, "/memory");
    chat.expect("Nothing is remembered.");
    assert!(!chat.screen().contains("nchen"), "{}", chat.screen());
    line(&mut chat, "quit");
    assert_eq!(chat.wait().code(), Some(0));
}

#[test]
fn a_slash_is_completed_and_says_what_it_does() {
    for size in SIZES {
        let home = TempHome::new();
        let mut chat = sized(size, &home, &[]);
        chat.press("/appro");
        chat.press(TAB);
        chat.expect("you> /approv");
        chat.press(TAB);
        chat.press(TAB);
        chat.expect("/approvals");
        chat.expect("show the questions that wait");
        chat.press("als");
        // What it does stands behind the line, in dim letters that are no part of it.
        chat.expect("you> /approvals  show the questions");
        chat.press(ENTER);
        chat.expect("No question waits for an answer");
        chat.expect_last(PROMPT);
        assert!(!chat.screen().contains("you> /approvals  show"), "{}", chat.screen());
    }
}

#[test]
fn an_at_sign_is_completed_with_a_persona() {
    let home = TempHome::new();
    home.put(
        "workspace/personas/Coder.md",
        "<aistorm type=\"OpenAI\" model=\"gpt-4\" />\nYou code.\n",
    );
    let mut chat = chat(&home, &[]);
    chat.press("@co");
    chat.press(TAB);
    chat.expect_last("you> @Coder");
}

#[test]
fn a_file_that_was_made_is_completed_by_its_name() {
    for size in SIZES {
        let home = TempHome::new();
        home.put("workspace/output/plans/Report 数学.md", "text");
        home.put("workspace/output/notes.txt", "text");
        home.put("workspace/memory.md", "text");
        std::os::unix::fs::symlink("/etc", home.workspace().join("output/etc")).unwrap();
        let mut chat = sized(size, &home, &[("NO_COLOR", "1")]);
        chat.press("read @rep");
        chat.press(TAB);
        chat.expect_last("you> read \"output/plans/Report 数学.md\"");
        chat.press("and @n");
        chat.press(TAB);
        chat.expect("output/notes.txt");
        // What stands elsewhere is not offered.
        chat.press("\x15@mem");
        chat.press(TAB);
        chat.press("@passw");
        chat.press(TAB);
        chat.press("!");
        chat.expect_last("you> @mem@passw!");
    }
}

#[test]
fn a_message_may_have_several_lines() {
    for size in SIZES {
        let home = TempHome::new();
        let server = OllamaServer::start([Says::text("Well."), Says::text("Fine.")]);
        let mut chat = sized(size, &home, &[("OLLAMA_HOST", &server.host())]);
        chat.press("the first");
        chat.press(ALT_ENTER);
        chat.press("and the second");
        chat.expect("you> the first\nand the second");
        chat.press(ENTER);
        chat.expect("Well.");
        said(&home, r"the first\nand the second");
        // A paste is one message as well, and is sent by Enter alone.
        chat.press("\x1b[200~pasted 数学\nin two lines\x1b[201~");
        chat.expect("you> pasted 数学\nin two lines");
        chat.press(ENTER);
        chat.expect("Fine.");
        said(&home, r"pasted 数学\nin two lines");
    }
}

#[test]
fn a_line_is_found_again_by_a_part_of_it() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[("NO_COLOR", "1")]);
    line(&mut chat, "/memory");
    chat.expect("Nothing is remembered.");
    chat.expect_last(PROMPT);
    line(&mut chat, "/jobs");
    chat.expect_last(PROMPT);
    chat.press(CTRL_R);
    chat.press("mem");
    chat.expect("(reverse-i-search)`mem': /memory");
    chat.press(ENTER);
    testkit::wait_until("it is said again", || {
        chat.screen().matches("Nothing is remembered.").count() == 2
    });
}

#[test]
fn whoever_has_looked_away_is_called_when_a_question_waits() {
    let rung = |variables: &[(&str, &str)]| {
        let home = TempHome::new();
        questions::skill(&home, "ring", "effect = \"external\"", "echo '{}'");
        let mut chat = chat(&home, variables);
        line(&mut chat, "/run RING");
        chat.expect_last("answer>");
        let bytes = String::from_utf8_lossy(&chat.bytes()).into_owned();
        bytes.contains("\x1b]9;SafeClaw waits for your answer\x1b\\\x07")
    };
    assert!(rung(&[]));
    assert!(!rung(&[("SAFECLAW_BELL", "off")]));
}

#[test]
fn what_is_marked_stands_out_and_an_address_is_a_link() {
    let answer = "# Plan\nDo **this now**, by `ls -l`. See https://a.example/page (or not).\n\
                  Prose goes on for so long that it can't stand in one row of any of these terminals, 数学家 and all.";
    for size in SIZES {
        let home = TempHome::new();
        let server = OllamaServer::start([Says::text(answer)]);
        let mut chat = sized(size, &home, &[("OLLAMA_HOST", &server.host())]);
        line(&mut chat, "plan?");
        chat.expect("and all.");
        let bytes = String::from_utf8_lossy(&chat.bytes()).into_owned();
        for styled in [
            "\x1b[1mPlan\x1b[22m",
            "\x1b[1mnow\x1b[22m\x1b[2m**\x1b[22m,",
            "\x1b[36mls -l\x1b[39m",
            "\x1b]8;;https://a.example/page\x1b\\https://a.example/page\x1b]8;;\x1b\\",
        ] {
            assert!(bytes.contains(styled), "{styled:?} in {bytes:?}");
        }
        let screen = chat.screen();
        let one_line = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        let written = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(&written), "{written}\n{screen}");
    }
}

#[test]
fn where_no_line_is_edited_what_is_typed_counts_at_once() {
    for variable in [("TERM", "dumb"), ("SAFECLAW_SCREEN_READER", "1")] {
        let home = TempHome::new();
        let endless = Says::Begins("These words stand ".to_owned());
        let server = OllamaServer::start([endless, Says::text("I am back.")]);
        let mut chat = chat(&home, &[variable, ("OLLAMA_HOST", &server.host())]);
        line(&mut chat, "Say something.");
        chat.expect("These words stand");
        line(&mut chat, "/status");
        chat.expect("a message is being answered now");
        line(&mut chat, "/cancel");
        chat.expect("[stopped]");
        testkit::wait_until("the connection is closed", || server.left() == 1);
        chat.expect_last(PROMPT);
        line(&mut chat, "And now?");
        chat.expect("I am back.");
        chat.expect_last(PROMPT);
        let bytes = String::from_utf8_lossy(&chat.bytes()).into_owned();
        assert!(!bytes.contains("is thinking"), "nothing moves: {bytes:?}");
        if variable.0 == "TERM" {
            assert!(!bytes.contains('\x1b'), "{bytes:?}");
        }
        chat.press(CTRL_D);
        assert_eq!(chat.wait().code(), Some(0));
    }
}
