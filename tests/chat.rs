//! The whole house on one machine: `safeclaw` with its router beside it, no Redis, no Ollama, no network.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::path::Path;

use testkit::{Chat, OllamaServer, Says, TempHome};

fn safeclaw(home: &Path) -> Chat {
    Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home, &[])
}

#[test]
fn the_main_job_without_redis_ollama_or_a_network() {
    let home = TempHome::new();
    let mut chat = safeclaw(home.root());
    let remembered = chat.ask("Remember my name is Frankie.", "name = Frankie");
    assert!(remembered.contains("_MEMORY_WRITE: ok"), "{remembered}");
    assert!(home.text("workspace/memory.json").contains("Frankie"));
    let posted = chat.ask("Post 'Hello World' to X.", r#"{"text":"Hello World"}"#);
    assert!(
        posted.contains("CREATE_POST: dry run, nothing was sent: X_TOKEN is not set"),
        "{posted}"
    );
    assert!(posted.contains("POST https://api.x.com/2/tweets"), "{posted}");
    assert!(!posted.contains("Posted"), "{posted}");
    let actions = chat.ask("/actions", "WEB_FETCH");
    assert!(actions.contains("_MEMORY_WRITE") && actions.contains("CREATE_POST"), "{actions}");
    assert!(home.text("workspace/artifact.json").contains("would_send"));
    chat.ask("/help", "/forget");
    chat.ask("/help forget", "/forget KEY");
    chat.ask("/memory", "name: Frankie");
    chat.ask("/forget name", "name is forgotten");
    chat.ask("/memory", "Nothing is remembered");
    chat.ask("quit", "");
    assert_eq!(chat.wait().code(), Some(0), "{}", chat.stderr());
}

#[test]
fn what_was_done_is_said_as_a_person_would() {
    let home = TempHome::new();
    let words = [("SAFECLAW_ACTIONS", "words"), ("LANG", "C.UTF-8")];
    let mut chat = Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), &words);
    chat.ask("Remember my name is Frankie.", "✓ I'll remember that your name is Frankie.\n");
    chat.ask("Post 'Hello World' to X.", "○ CREATE_POST: nothing was sent: X_TOKEN is not set");
    chat.ask("/last", r#""status": "ok""#);
    chat.ask("/run _MEMORY_WRITE {\"new_memory\": {}}", "✗ Memory write: new_memory is empty");
    chat.end();
    assert!(!chat.stdout().contains("_MEMORY_WRITE: "), "{}", chat.stdout());
    let mut plain = Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), &words[..1]);
    plain.ask(
        "Remember my name is Bob.",
        "ok I'll remember that your name is Bob (it was Frankie).\n",
    );
    plain.ask("/last", r#""action": "_MEMORY_WRITE""#);
}

#[test]
fn the_start_says_what_was_found_in_three_lines() {
    let home = TempHome::new();
    let mut chat = safeclaw(home.root());
    chat.ask("/status", "workspace:");
    let stderr = chat.stderr();
    let lines: Vec<&str> = stderr.lines().take(3).collect();
    assert!(
        lines[0].starts_with("model:  ollama, llama3.1:8B: nothing answers at 127.0.0.1:1 ("),
        "{stderr}"
    );
    assert!(lines[0].contains("start it with `ollama serve`"), "{stderr}");
    assert!(lines[1].starts_with("router: beside this chat"), "{stderr}");
    assert_eq!(lines[2], "skills: CREATE_POST, WEB_FETCH");
}

#[test]
fn what_was_said_of_the_model_at_the_start_is_not_said_again() {
    let home = TempHome::greeting();
    let mut chat = safeclaw(home.root());
    for name in ["Frankie", "Bob", "Ann"] {
        let done = format!("HELLO_WORLD: ok, Hello, {name}!");
        chat.ask(&format!("Say hello to {name}."), &done);
    }
    assert_eq!(chat.end().code(), Some(0));
    assert_eq!(chat.stderr().matches("nothing answers").count(), 1, "{}", chat.stderr());
}

#[test]
fn stdin_that_ends_ends_it_with_code_0_after_the_last_answer() {
    let home = TempHome::greeting();
    let mut chat = safeclaw(home.root());
    chat.say("Say hello to Frankie.");
    assert_eq!(chat.end().code(), Some(0));
    assert!(chat.stdout().contains("HELLO_WORLD: ok"), "{}", chat.stdout());
    assert!(home.text("workspace/input_history.json").contains("Say hello to Frankie."));
    assert!(home.text("workspace/artifact.json").contains("HELLO_WORLD"));
}

#[test]
fn sigterm_loses_nothing_that_was_answered() {
    let home = TempHome::greeting();
    let mut chat = safeclaw(home.root());
    chat.ask("Say hello to Frankie.", "HELLO_WORLD: ok, Hello, Frankie!\n");
    chat.terminate();
    assert_eq!(chat.wait().code(), Some(0));
    assert!(home.text("workspace/input_history.json").contains("Say hello to Frankie."));
    assert!(home.text("workspace/artifact.json").contains("HELLO_WORLD"));
}

#[test]
fn what_can_not_be_said_is_told_and_the_chat_goes_on() {
    let home = TempHome::new();
    let mut chat = safeclaw(home.root());
    chat.say("");
    chat.expect_on_stderr("nothing was said");
    chat.say(vec![b'x'; 1024 * 1024]);
    chat.expect_on_stderr("the line has 1048576 bytes and was not sent");
    chat.say(b"Remember my \0name is \x1b[31mFran\xffkie.");
    chat.expect_on_stderr("bytes that are no UTF-8 were replaced");
    chat.expect("_MEMORY_WRITE: ok");
    assert!(!home.text("workspace/memory.json").contains('\u{1b}'));
    chat.say("/run CREATE_POST {\"platform\": \"X\"}");
    chat.expect("CREATE_POST: failed, the parameters don't fit");
    chat.ask("/run NO_SUCH {}", "NO_SUCH: unknown, there is no action NO_SUCH");
    chat.ask("/run APPROVE {\"id\": \"x\", \"answer\": \"yes\"}", "APPROVE: unknown");
    chat.ask("/memory", "name: ");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn both_processes_end_together() {
    let home = TempHome::new();
    let mut chat = safeclaw(home.root());
    chat.ask("/status", "workspace:");
    let router = chat.router();
    assert!(Path::new(&format!("/proc/{router}")).exists());
    chat.end();
    testkit::wait_until("the router ends, too", || !Path::new(&format!("/proc/{router}")).exists());
}

#[test]
fn a_second_agent_on_one_workspace_is_told_who_is_there() {
    let home = TempHome::new();
    let mut first = safeclaw(home.root());
    first.ask("/status", "workspace:");
    let mut second = safeclaw(home.root());
    assert_eq!(second.wait().code(), Some(1));
    second.expect_on_stderr(&format!("process {} works here already", first.pid()));
    second.expect_on_stderr("config http 127.0.0.1:8787` has its next start open a page");
    home.put("agent/config.json", r#"{"http": {"listen": "127.0.0.1:8787"}}"#);
    let mut third = safeclaw(home.root());
    assert_eq!(third.wait().code(), Some(1));
    third.expect_on_stderr("or talk with it on its page, to which `");
}

/// A skill that brings what anybody may have written.
fn page_skill(home: &TempHome) {
    let page = "echo '{\"url\": \"https://evil.example\", \"page\": \"obey\"}'";
    home.put_script("read_page", "public", page);
}

#[test]
fn what_is_remembered_after_a_page_was_read_waits_for_a_persons_word_also_after_a_restart() {
    let home = TempHome::new();
    page_skill(&home);
    let mut first = safeclaw(home.root());
    first.ask("/run READ_PAGE", "READ_PAGE: ok");
    assert_eq!(first.end().code(), Some(0));
    let mut second = safeclaw(home.root());
    second
        .ask("/status", "text that others wrote has come in, from READ_PAGE https://evil.example");
    assert_eq!(second.end().code(), Some(0));
    // Nobody has said so but the model, as the page may have told it.
    let write = r#"<tool_code>[{"name": "_MEMORY_WRITE", "params": {"new_memory": {"boss": "Mallory"}}}]</tool_code>"#;
    let ollama = OllamaServer::start([Says::text(write), Says::text("Noted.")]);
    let host = ollama.host();
    let variables = [("OLLAMA_HOST", host.as_str())];
    let mut tricked = Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), &variables);
    tricked.ask("Go on.", "_MEMORY_WRITE: ok, set aside and not remembered");
    tricked.expect("Noted.");
    assert_eq!(tricked.end().code(), Some(0));
    let mut second = safeclaw(home.root());
    second.ask("/memory", "Nothing is remembered.\nSet aside: 1");
    second.ask("/memory --quarantined", "just now, from READ_PAGE https://evil.example");
    second.ask("Who is my boss?", "\n");
    assert!(!second.stdout().contains("boss is Mallory."), "{}", second.stdout());
    let prompt = home.text("workspace/output/prompt_cache.txt");
    assert!(!prompt.contains("boss: Mallory"), "{prompt}");
    second.ask("/memory keep boss", "remembered: boss = Mallory.");
    second.ask("Who is my boss?", "Your boss is Mallory.");
    second.ask("/clear", "forgotten");
    second.ask("/status", "nothing that others wrote and nothing private has come in");
    second.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok, remembered: name = Frankie.");
    assert_eq!(second.end().code(), Some(0));
}

#[test]
fn a_message_whose_answer_was_killed_is_told_at_the_next_start() {
    let home = TempHome::new();
    let ollama = OllamaServer::start([Says::Begins("It is ".to_owned())]);
    let host = ollama.host();
    let variables = [("OLLAMA_HOST", host.as_str())];
    let mut killed = Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), &variables);
    killed.say("What is the tallest tree?");
    let session = home.root().join("workspace/session.json");
    let is_kept =
        || std::fs::read_to_string(&session).is_ok_and(|text| text.contains("tallest tree"));
    testkit::wait_until("the message is kept", is_kept);
    killed.kill();
    let mut next = safeclaw(home.root());
    next.ask("/status", "workspace:");
    let told = "SafeClaw ended before your last message was answered";
    assert!(next.stderr().contains(told) || next.stdout().contains(told), "{}", next.stderr());
    assert_eq!(next.end().code(), Some(0));
    assert!(home.text("workspace/input_history.json").contains("tallest tree"));
    let mut later = safeclaw(home.root());
    later.ask("/status", "workspace:");
    assert!(!later.stderr().contains(told) && !later.stdout().contains(told), "{}", later.stderr());
}
