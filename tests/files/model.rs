//! Answers of a model that are wrong, too large or never come.

use super::*;

const CUT: &str =
    r#"Well. <tool_code>[{"name": "_MEMORY_WRITE", "params": {"new_memory": {"a": "b"#;

fn chat(home: &TempHome, server: &OllamaServer) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())])
}

#[test]
fn an_answer_that_can_not_be_read_is_mended_by_the_model_once() {
    let home = TempHome::new();
    let mended = r#"Gladly. <tool_code>[{"name": "_MEMORY_WRITE", "params": {"new_memory": {"name": "Frankie"}}}]</tool_code>"#;
    let server = OllamaServer::start([CUT, mended, "I shall remember that."].map(Says::text));
    let mut chat = chat(&home, &server);
    let told = chat.ask("I am Frankie.", "I shall remember that.");
    assert!(told.contains("_MEMORY_WRITE: ok"), "{told}");
    let prompts = server.prompts();
    assert!(prompts[1].contains("close every bracket and tag"), "{}", prompts[1]);
    assert!(!prompts[2].contains("close every bracket and tag"), "{}", prompts[2]);
}

#[test]
fn garbage_twice_is_told_and_nothing_of_it_runs() {
    let home = TempHome::new();
    let server = OllamaServer::start([CUT, CUT, "Hello again."].map(Says::text));
    let mut chat = chat(&home, &server);
    chat.say("I am Frankie.");
    chat.expect_on_stderr("the model's answer can't be read, and nothing of it was run: the answer ends before its actions do");
    let told = chat.ask("And now?", "Hello again.");
    assert!(!told.contains("_MEMORY_WRITE"), "{told}");
    assert!(!told.contains("tool_code"), "{told}");
}

#[test]
fn an_answer_of_nothing() {
    let home = TempHome::new();
    let server = OllamaServer::start(["", "", "Hello again."].map(Says::text));
    let mut chat = chat(&home, &server);
    chat.say("Hello?");
    chat.expect_on_stderr("the model gave no answer, twice");
    chat.ask("And now?", "Hello again.");
}

#[test]
fn an_answer_of_10_megabytes() {
    let home = TempHome::new();
    // Words that are always new: those that come again and again are cut off much sooner.
    let piece = |from: usize| (from..from + 8_000).map(|n| format!("{n} ")).collect::<String>();
    let endless = Says::Pieces((0..190).map(|at| piece(at * 8_000)).collect());
    let server = OllamaServer::start([endless, Says::text("Hello again.")]);
    let mut chat = chat(&home, &server);
    chat.say("Hello?");
    chat.expect_on_stderr("has no end and was stopped after 1048576 bytes");
    testkit::wait_until("the connection is closed", || server.left() == 1);
    chat.ask("And now?", "Hello again.");
}

#[test]
fn an_answer_that_says_the_same_without_end_is_cut_off() {
    let home = TempHome::new();
    let endless = Says::Pieces(vec!["half a cup of flour, ".repeat(100); 200]);
    let server = OllamaServer::start([endless, Says::text("Hello again.")]);
    let mut chat = chat(&home, &server);
    chat.say("What goes into it?");
    chat.expect_on_stderr("the answer was cut off in an endless repetition");
    testkit::wait_until("the connection is closed", || server.left() == 1);
    chat.ask("And now?", "Hello again.");
}

#[test]
fn an_answer_that_never_comes_can_be_stopped() {
    let home = TempHome::new();
    let never = Says::Begins("Well, ".to_owned());
    let server = OllamaServer::start([never, Says::text("Hello again.")]);
    let mut chat = chat(&home, &server);
    chat.ask("Hello?", "Well,");
    chat.interrupt();
    chat.expect_on_stderr("[stopped]");
    testkit::wait_until("the connection is closed", || server.left() == 1);
    chat.ask("And now?", "Hello again.");
    let history = home.text("workspace/input_history.json");
    assert!(history.contains("Hello?") && history.contains("(stopped)"), "{history}");
    assert_eq!(chat.end().code(), Some(0));
}
