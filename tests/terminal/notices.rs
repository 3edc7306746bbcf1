//! What the two processes warn of while a person sits at the prompt.

use super::*;

/// A skill whose manifest can't be read.
const BROKEN: &str = "name = \"BROKEN\"\ninstruction = 1\n";

#[test]
fn a_routers_warning_is_one_notice_without_a_time_above_the_line_that_is_typed() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    chat.press("half a line");
    chat.expect_last("you> half a line");
    home.put("router/skills/broken/skill.toml", BROKEN);
    chat.expect("[skill left out: ");
    chat.expect_last("you> half a line");
    let log = home.text("router/log/safeclaw-router.log");
    assert!(log.contains("WARN") && log.contains("skill left out: "), "{log}");
    // A second look at the same folder says nothing new.
    home.put("router/skills/broken/other", "");
    home.put("router/skills/new/skill.toml", "name = 1\n");
    chat.expect("skills/new");
    let screen = chat.screen();
    assert_eq!(screen.matches("skills/broken").count(), 1, "{screen}");
    // The name of a home may look like a part of a time.
    let said = screen.replace(&home.root().display().to_string(), "");
    assert!(!said.contains("WARN") && !said.contains("T0") && !said.contains("Z "), "{screen}");
    chat.expect_last("you> half a line");
}

#[test]
fn what_was_wrong_at_the_start_is_said_once_before_the_first_answer() {
    let home = TempHome::new();
    home.put("router/skills/broken/skill.toml", BROKEN);
    let mut chat = testkit::Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/memory", "Nothing is remembered.");
    assert_eq!(chat.end().code(), Some(0));
    let said = chat.stderr();
    assert_eq!(said.matches("skill left out: ").count(), 1, "{said}");
    assert!(said.contains("\n[skill left out: ") && !said.contains("WARN"), "{said}");
}

#[test]
fn a_router_that_follows_another_does_not_say_again_what_that_one_has_said() {
    let home = TempHome::new();
    home.put("router/skills/broken/skill.toml", BROKEN);
    let mut chat = testkit::Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.expect_on_stderr("[skill left out: ");
    let router = rustix::process::Pid::from_raw(chat.router().cast_signed()).unwrap();
    rustix::process::kill_process(router, rustix::process::Signal::KILL).unwrap();
    chat.expect_on_stderr("[the router ended; started again]");
    chat.ask("/memory", "Nothing is remembered.");
    chat.end();
    assert_eq!(chat.stderr().matches("skill left out: ").count(), 1, "{}", chat.stderr());
}

#[test]
fn a_fetch_that_fails_is_said_by_its_line_alone() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    line(&mut chat, "Read http://nowhere.invalid/.");
    chat.expect("nowhere.invalid:80 can't be resolved");
    chat.expect_last(PROMPT);
    let screen = chat.screen();
    assert!(!screen.contains("does not reach"), "{screen}");
    assert!(home.text("router/log/safeclaw-router.log").contains("WEB_FETCH does not reach"));
}

#[test]
fn a_router_that_can_not_start_again_says_why_above_the_line_that_is_typed() {
    let home = TempHome::new();
    let mut chat = chat(&home, &[]);
    chat.press("half a line");
    chat.expect_last("you> half a line");
    home.put("router/config.json", "{");
    let router = rustix::process::Pid::from_raw(chat.router().cast_signed()).unwrap();
    rustix::process::kill_process(router, rustix::process::Signal::KILL).unwrap();
    chat.expect("[no router: ");
    chat.expect("[no router any more: ");
    assert_eq!(chat.screen().matches("[no router: ").count(), 1, "{}", chat.screen());
    chat.expect_last("you> half a line");
}

#[test]
fn that_the_router_ended_is_said_before_what_failed_by_it() {
    let home = TempHome::new();
    let sleeps = format!("sleep 1000; true {}", home.root().display());
    home.put_script("slow", "none", &format!("sh -c '{sleeps}'"));
    let manifest = home.text("router/skills/slow/skill.toml") + "idempotent = false\n";
    home.put("router/skills/slow/skill.toml", manifest);
    let mut chat = chat(&home, &[]);
    line(&mut chat, "/run SLOW");
    wait_until_runs(&sleeps);
    let router = rustix::process::Pid::from_raw(chat.router().cast_signed()).unwrap();
    rustix::process::kill_process(router, rustix::process::Signal::KILL).unwrap();
    chat.expect("it may have been done");
    let screen = chat.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no {text:?}: {screen}"));
    assert!(at("[the router ended") < at("it may have been done"), "{screen}");
}
