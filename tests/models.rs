//! Models that are down, slow, wrong or exchanged while people talk, on the real programs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use testkit::{Chat, OllamaServer, Says, TempHome, wait_until};

fn safeclaw(home: &TempHome, variables: &[(&str, &str)]) -> Chat {
    Chat::start(env!("CARGO_BIN_EXE_safeclaw"), &[], home.root(), variables)
}

/// A chat that has said what it found, with this server.
fn chat_with(home: &TempHome, server: &OllamaServer) -> Chat {
    let mut chat = safeclaw(home, &[("OLLAMA_HOST", &server.host())]);
    chat.ask("/status", "workspace:");
    chat
}

/// How many lines of stderr hold `text`.
fn lines(chat: &Chat, text: &str) -> usize {
    chat.stderr().lines().filter(|line| line.contains(text)).count()
}

/// `text` stands in so many lines of stderr and no more. An answer may be read before what stderr says of it.
fn told(chat: &Chat, text: &str, times: usize) {
    wait_until(text, || lines(chat, text) >= times);
    assert_eq!(lines(chat, text), times, "{}", chat.stderr());
}

#[test]
fn a_server_that_is_stopped_and_started_again_is_told_in_one_line_each() {
    let home = TempHome::greeting();
    let server = OllamaServer::start([Says::text("Here I am.")]);
    let mut chat = chat_with(&home, &server);
    chat.ask("Hello?", "Here I am.");
    let address = server.stop();
    chat.ask("Hello?", "I have no language model at the moment.");
    chat.ask("And now?", "I have no language model at the moment.");
    let down = format!("nothing answers at {address} (");
    let without = "start it with `ollama serve`; answering without a language model]";
    told(&chat, without, 1);
    // One for each further try, once, and the one above.
    told(&chat, &down, 3);
    let server = OllamaServer::start_at(&address, [Says::text("Here I am again.")]);
    chat.ask("Hello?", "Here I am again.");
    told(&chat, "answers again]", 1);
    assert_eq!(server.prompts().len(), 1);
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_model_that_is_missing_is_told_with_the_command_that_fetches_it() {
    let home = TempHome::greeting();
    home.put("agent/config.json", r#"{"llm": {"model": "mistral"}}"#);
    let server = OllamaServer::start(["mistral"; 2].map(Says::unknown));
    let mut chat = chat_with(&home, &server);
    let advice = "does not have the model mistral; fetch it with `ollama pull mistral`; until then";
    chat.expect_on_stderr(advice);
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    told(&chat, "does not have the model", 1);
}

/// 200 kB that somebody pastes, in one line.
fn paste() -> String {
    format!("What went wrong here? {}", "a line of the log, ".repeat(200_000 / 19))
}

#[test]
fn a_paste_without_room_is_told_and_the_chat_goes_on() {
    let home = TempHome::greeting();
    home.put("agent/config.json", r#"{"llm": {"window": 8192}}"#);
    let server = OllamaServer::start([Says::text("Hello."), Says::text("Here I am.")]);
    let mut chat = chat_with(&home, &server);
    chat.ask("Good morning", "Hello.");
    chat.say(paste());
    chat.expect_on_stderr("the message is too long: about ");
    chat.expect_on_stderr("in its window of 8192; say it in parts, or put it into a file");
    chat.ask("Are you there?", "Here I am.");
    let prompts = server.prompts();
    assert_eq!(prompts.len(), 2);
    assert!(prompts[1].contains("Good morning"), "what was said before is still there");
    assert!(!prompts[1].contains(&paste()));
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_paste_is_read_whole_where_the_window_can_grow_for_it() {
    let home = TempHome::greeting();
    let server =
        OllamaServer::start([Says::text("The disk was full."), Says::text("You're welcome.")]);
    let mut chat = chat_with(&home, &server);
    chat.ask(&paste(), "The disk was full.");
    chat.ask("Thanks.", "You're welcome.");
    let prompts = server.prompts();
    assert!(prompts[0].contains(paste().trim_end()));
    assert!(prompts[1].contains("What went wrong here?") && prompts[1].len() < 30_000);
}

#[test]
fn a_server_that_is_busy_for_a_while_is_asked_again() {
    let home = TempHome::greeting();
    let server = OllamaServer::start([Says::busy(1), Says::text("Now I can.")]);
    let mut chat = chat_with(&home, &server);
    chat.ask("Hello?", "Now I can.");
    chat.expect_on_stderr("is busy (429: slow down); try 2 in ");
    assert_eq!(server.prompts().len(), 2);
}

#[test]
fn a_server_that_wants_a_long_wait_is_passed_over() {
    let home = TempHome::greeting();
    let second = OllamaServer::start([Says::text("I stand in."), Says::text("I stand in again.")]);
    let stand_in = format!("ollama:qwen3:4b@http://{}", second.host());
    let config = format!(r#"{{"llm": {{"fallback": ["{stand_in}", "offline"]}}}}"#);
    home.put("agent/config.json", config);
    let first = OllamaServer::start([Says::busy(3_600)]);
    let mut chat = chat_with(&home, &first);
    chat.ask("Hello?", "I stand in.");
    chat.expect_on_stderr(&format!("asking qwen3:4b at {}]", second.host()));
    let status = chat.ask("/status", "workspace:");
    assert!(status.contains(&format!("last answer: qwen3:4b at {}", second.host())), "{status}");
    assert!(status.contains("s, because the last try failed"), "{status}");
    // It is left alone as it wished, and nobody hears of it again.
    told(&chat, "is busy (429: slow down)", 1);
    chat.ask("And now?", "I stand in again.");
    assert_eq!(first.prompts().len(), 1, "{}", chat.stderr());
    told(&chat, "is busy (429: slow down)", 1);
}

/// A chat with a server that answers 429 for ten seconds, and asks in `Retry-After` for so many, if any.
fn lasts_through_ten_busy_seconds(wait: Option<u64>) {
    let home = TempHome::greeting();
    let server = OllamaServer::start([Says::text("Here I am at last.")]);
    server.be_busy(Duration::from_secs(10), wait);
    let mut chat = chat_with(&home, &server);
    chat.ask("Hello?", "Here I am at last.");
    told(&chat, "is busy (429: slow down); try 2 in ", 1);
    told(&chat, "is busy", 1);
    assert!(server.prompts().len() > 1);
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_server_that_is_busy_for_ten_seconds_answers_in_the_end_itself() {
    lasts_through_ten_busy_seconds(None);
}

#[test]
fn so_does_one_that_says_when_to_come_back() {
    lasts_through_ten_busy_seconds(Some(10));
}

#[test]
fn so_does_one_that_asks_for_too_short_a_wait() {
    lasts_through_ten_busy_seconds(Some(2));
}

#[test]
fn one_that_rests_is_asked_at_once_when_it_is_chosen_anew() {
    let home = TempHome::greeting();
    let says = [Says::busy(3_600), Says::text("ready"), Says::text("I am back.")];
    let server = OllamaServer::start(says);
    let mut chat = chat_with(&home, &server);
    chat.ask("Hello?", "I have no language model at the moment.");
    assert!(chat.ask("/status", "workspace:").contains(": not asked for another "));
    chat.ask("/model offline", "sentences are matched with those of /actions");
    chat.ask("/model ollama:llama3.1:8B", "--keep makes it last\n");
    assert!(chat.ask("/status", "workspace:").contains(&format!("{}: ready\n", server.host())));
    chat.ask("Hello?", "I am back.");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn an_answer_that_breaks_off_is_kept_and_said_to_be_cut() {
    let home = TempHome::greeting();
    let half = Says::Cut("Half a sen".to_owned());
    let server = OllamaServer::start([half, Says::text("Whole again.")]);
    let mut chat = chat_with(&home, &server);
    chat.ask("Hello?", "Half a sen\n");
    chat.expect_on_stderr("[the answer was cut off: ");
    chat.ask("And now?", "Whole again.");
    assert!(server.prompts()[1].contains("Half a sen"), "{}", server.prompts()[1]);
}

#[test]
fn an_answer_that_breaks_off_before_a_word_was_shown_is_asked_for_again() {
    let home = TempHome::greeting();
    let cut = Says::Cut(r#"{"thought": "Let me se"#.to_owned());
    let whole = r#"{"thought": "Let me see.", "message": "Whole at once.", "actions": []}"#;
    let thinks = Says::Cut("<think>Let me se".to_owned());
    let server = OllamaServer::start([cut, thinks, Says::text(whole)]);
    let mut chat = chat_with(&home, &server);
    chat.ask("Hello?", "Whole at once.");
    told(&chat, "; try 2 of 3 in", 1);
    told(&chat, "; try 3 of 3 in", 1);
    assert!(!chat.stdout().contains("Let me se"), "{}", chat.stdout());
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_person_can_stop_a_wait_for_the_first_word_and_one_between_two_tries() {
    let home = TempHome::greeting();
    let says = [Says::Begins(String::new()), Says::busy(30), Says::text("Hello again.")];
    let server = OllamaServer::start(says);
    let mut chat = chat_with(&home, &server);
    chat.say("Hello?");
    wait_until("the model is asked", || server.prompts().len() == 1);
    chat.interrupt();
    wait_until("the connection is closed", || server.left() == 1);
    chat.say("Hello?");
    chat.expect_on_stderr("try 2 in 30.0 s, ");
    chat.interrupt();
    wait_until("both are stopped", || lines(&chat, "[stopped]") == 2);
    chat.ask("And now?", "Hello again.");
    assert_eq!(server.prompts().len(), 3);
}

#[test]
fn another_model_is_proven_and_asked_until_the_end_and_kept_on_wish() {
    let home = TempHome::greeting();
    let server = OllamaServer::start([
        Says::text("ready"),
        Says::text("I am the other."),
        Says::unknown("qwen3:4"),
        Says::text("ready"),
    ]);
    let host = server.host();
    let mut chat = chat_with(&home, &server);
    let shown = chat.ask("/model", "in later ones, too.");
    assert!(shown.contains(&format!("llama3.1:8B at {host} (provider ollama)")), "{shown}");
    assert!(shown.contains(&format!("1. llama3.1:8B at {host}: ready\n  2. offline\n")), "{shown}");
    chat.ask("/model list", "llama3.1:8B\nqwen3:4b\n");
    let told = chat.ask("/model qwen3:4b", "--keep makes it last\n");
    assert!(
        told.contains(&format!("qwen3:4b at {host} answers, the first token after ")),
        "{told}"
    );
    assert!(told.contains("; that is for all chats until the agent ends, --keep"), "{told}");
    chat.ask("Who are you?", "I am the other.");
    chat.ask("/status", &format!("last answer: qwen3:4b at {host}"));
    assert!(home.text("agent/config.json").contains("llama3.1:8B"));
    chat.say("/model ollama:qwen3:4");
    chat.expect_on_stderr("or did you mean qwen3:4b?; it stays qwen3:4b at ");
    chat.ask("/model ollama:qwen3:4b --keep", "kept for every start from now on");
    chat.ask("/model offline", "sentences are matched with those of /actions");
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    assert_eq!(chat.end().code(), Some(0));
    // The agent itself can't change its settings: the next start does.
    assert!(!home.text("agent/config.json").contains("qwen3:4b"));
    let mut chat = chat_with(&home, &server);
    let shown = chat.ask("/model", "in later ones, too.");
    assert!(shown.contains(&format!("1. qwen3:4b at {host}")), "{shown}");
    assert!(home.text("agent/config.json").contains("qwen3:4b"));
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_way_that_a_server_does_not_take_is_told_once_and_shown() {
    let no = Says::Status(400, Vec::new(), r#"{"error": "failed to parse grammar"}"#.to_owned());
    let home = TempHome::greeting();
    let hello = || Says::text("Hello there.");
    let ready = Says::text("ready");
    let server = OllamaServer::start([no, hello(), hello(), ready, Says::text("{}")]);
    let (host, mut chat) = (server.host(), chat_with(&home, &server));
    let shown = chat.ask("/model", "in later ones, too.");
    let holds = "way of asking: json, as auto chooses\n\
                 window: 8,192 tokens, as SafeClaw asks for, of the 131,072 that the model holds\n\
                 pictures: not shown, for the server does not say that the model sees\n";
    assert!(shown.contains(holds), "{shown}");
    chat.ask("Hello?", "Hello there.");
    chat.ask("Hello again?", "Hello there.");
    let what = "json was answered with 400: failed to parse grammar";
    let advice = format!("[llama3.1:8B at {host} is asked in another way for a day: {what}; ");
    told(&chat, what, 1);
    told(&chat, &advice, 1);
    let shown = chat.ask("/model", "in later ones, too.");
    let holds = format!("native, since {what} (just now); json is tried again in 23 hours\n");
    assert!(shown.contains(&holds), "{shown}");
    let status = chat.ask("/status", "workspace:");
    assert!(
        status.contains(&format!("llama3.1:8B at {host}: ready; asked with native\n")),
        "{status}"
    );
    chat.ask("/model llama3.1:8B", "--keep makes it last\n");
    assert!(chat.ask("/model", "in later ones, too.").contains("way of asking: json, as auto"));
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_missing_key_is_said_at_the_start() {
    let home = TempHome::greeting();
    home.put("agent/config.json", r#"{"llm": {"provider": "openai", "model": "gpt-4o-mini"}}"#);
    let mut chat = safeclaw(&home, &[]);
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    chat.expect_on_stderr(
        "model:  openai, gpt-4o-mini: OpenAI wants a key; write OPENAI_API_KEY=... into .env",
    );
    told(&chat, "wants a key", 1);
}

const KEY: &str = "sk-hunter2hunter2hunter2";

/// A skill that tells its environment.
fn tell_tale(home: &TempHome) {
    let tell = "printf '{\"told\": \"%s\"}\\n' \"$(env | tr -c 'A-Za-z0-9_=-' ' ')\"";
    home.put_script("tell_tale", "none", tell);
}

/// All files below `folder` that hold `text`.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(holding(&path, text));
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap_or_default();
            if String::from_utf8_lossy(&bytes).contains(text) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_key_of_a_provider_goes_to_no_file_no_output_no_router_and_no_skill() {
    let home = TempHome::greeting();
    tell_tale(&home);
    let names = [
        "OPENAI_API_KEY",
        "OPENAI_API_KEY_OPENROUTER_AI",
        "OPENAIAPIOPTIONS_APIKEY",
        "ANTHROPIC_API_KEY",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
        "GEMINI_API_KEY_LLM",
    ];
    let mut variables: Vec<(&str, &str)> = names.iter().map(|name| (*name, KEY)).collect();
    variables.push(("RUST_LOG", "trace"));
    let refuses = || Says::Status(401, Vec::new(), format!("the key {KEY} is wrong"));
    let server = OllamaServer::start([refuses(), refuses()]);
    let other = format!("openai:gpt-4o-mini@http://{}/v1", server.host());
    home.put("agent/config.json", format!(r#"{{"llm": {{"fallback": ["{other}", "offline"]}}}}"#));
    let mut chat = safeclaw(&home, &variables);
    let told = chat.ask("/run TELL_TALE", "\n}\n");
    assert!(told.contains("PATH") && !told.contains(KEY), "{told}");
    chat.say("Hello?");
    chat.ask("/model", "in later ones, too.");
    chat.say(format!("/model {other} --keep"));
    chat.ask("/status", "workspace:");
    let environment = fs::read(format!("/proc/{}/environ", chat.router())).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("PATH=") && !environment.contains(KEY), "{environment}");
    assert_eq!(chat.end().code(), Some(0));
    assert!(!chat.stdout().contains(KEY) && !chat.stderr().contains(KEY));
    assert_eq!(holding(home.root(), KEY), [""; 0]);
}

#[test]
fn keys_in_the_environment_file_are_known_and_others_should_not_read_them() {
    let home = TempHome::greeting();
    home.put(".env", format!("OPENAI_API_KEY={KEY}\n"));
    let mut chat = safeclaw(&home, &[]);
    chat.ask("/status", "workspace:");
    assert_eq!(lines(&chat, "is not a name that is used here"), 0, "{}", chat.stderr());
    chat.expect_on_stderr(".env holds secrets, and others can read it (mode 644); run: chmod 600");
    assert_eq!(chat.end().code(), Some(0));
    fs::set_permissions(home.env_file(), fs::Permissions::from_mode(0o600)).unwrap();
    let mut chat = safeclaw(&home, &[]);
    chat.ask("/status", "workspace:");
    assert_eq!(lines(&chat, "chmod"), 0, "{}", chat.stderr());
}
