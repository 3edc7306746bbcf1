//! `safeclaw init`: by its options here, and at a terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod asked;

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use testkit::{Chat, OllamaServer, Says, TempHome, free_port};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What it says without a terminal, and whether it was done.
fn init(home: &TempHome, args: &[&str], server: &str) -> (Chat, bool) {
    let args: Vec<&str> = ["init"].into_iter().chain(args.iter().copied()).collect();
    let mut chat = Chat::start(SAFECLAW, &args, home.root(), &[("OLLAMA_HOST", server)]);
    let code = chat.end().code();
    (chat, code == Some(0))
}

/// A port that nobody has.
fn free() -> String {
    format!("127.0.0.1:{}", free_port())
}

fn config(home: &TempHome) -> Value {
    serde_json::from_str(&home.text("agent/config.json")).unwrap()
}

/// Every file of the home, with what it holds.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            files.extend(self::files(&entry.path()));
        } else {
            let path = entry.path().display().to_string();
            files.insert(path, std::fs::read(entry.path()).unwrap());
        }
    }
    files
}

#[test]
fn a_script_sets_everything_that_its_options_say_and_keeps_the_rest() {
    let home = TempHome::new();
    home.put(".env", "OTHER=kept\n");
    std::fs::set_permissions(home.env_file(), Permissions::from_mode(0o644)).unwrap();
    home.put("agent/config.json", r#"{"timeout": 25}"#);
    let server = OllamaServer::start([Says::text("ready")]);
    let page = free();
    let options = ["--model", "ollama:qwen3:4b", "--page", &page, "--ask", "tainted", "--yes"];
    let (said, is_done) = init(&home, &options, &server.host());
    assert!(is_done, "{}", said.stderr());
    let config = config(&home);
    assert_eq!((&config["llm"]["model"], &config["timeout"]), (&json!("qwen3:4b"), &json!(25)));
    assert_eq!(config["http"]["listen"], json!(page));
    assert!(home.text(".env").contains("OTHER=kept"));
    // As everybody may read a copy of the example.
    let mode = || std::fs::metadata(home.env_file()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600, "the page's token stands in it");
    let (_, is_done) = init(&home, &["--ask", "everything", "--yes"], &server.host());
    assert!(is_done);
    let again = init(&home, &["--yes"], &server.host()).0.stdout();
    assert!(again.contains("ollama:qwen3:4b") && again.contains(&page), "{again}");
    assert!(again.contains("it asks before everything"), "{again}");
    assert!(again.contains("Nothing has changed."), "{again}");
}

#[test]
fn the_ruling_is_the_routers() {
    let home = TempHome::new();
    let (_, is_done) = init(&home, &["--ask", "tainted", "--yes"], "127.0.0.1:1");
    assert!(is_done);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    let answer = chat.ask("Post 'Hello World' to X.", "dry run");
    assert!(!answer.contains("waits for"), "{answer}");
    chat.end();
    let (_, is_done) = init(&home, &["--ask", "everything", "--yes"], "127.0.0.1:1");
    assert!(is_done);
    home.put("router/.env", "X_TOKEN=test\n");
    let secret = Permissions::from_mode(0o600);
    std::fs::set_permissions(home.root().join("router/.env"), secret).unwrap();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("Post 'Hello World' to X.", "it waits for a person's yes");
    chat.end();
}

#[test]
fn what_can_not_be_proved_is_told_and_nothing_is_written() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::unknown("mistral"), Says::unknown("mistral")]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let nowhere = format!("redis://{}", free());
    let before = files(home.root());
    for (options, why) in [
        (["--model", "mistral", "--yes"], "fetch it with `ollama pull mistral`"),
        (["--page", &taken, "--yes"], "choose another address with --page"),
        (["--page", "99999", "--yes"], "99999 is no address of a page: it is one such as"),
        (["--redis", &nowhere, "--yes"], "Redis"),
    ] {
        let (said, is_done) = init(&home, &options, &server.host());
        assert!(!is_done && said.stderr().contains(why), "{}", said.stderr());
    }
    let (said, is_done) = init(&home, &["--page", "off"], &server.host());
    assert!(!is_done && said.stderr().contains("this is no terminal"), "{}", said.stderr());
    assert_eq!(files(home.root()), before);
}

#[test]
fn the_routers_page_and_the_folder_of_papers_are_set_and_closed_again() {
    let home = TempHome::new();
    let papers = tempfile::tempdir().unwrap();
    let port = free().rsplit_once(':').unwrap().1.to_owned();
    let (window, folder) = (format!("127.0.0.2:{port}"), papers.path().to_str().unwrap());
    let (said, is_done) =
        init(&home, &["--window", &window, "--papers", folder, "--yes"], "127.0.0.1:1");
    assert!(is_done, "{}", said.stderr());
    let router = || serde_json::from_str::<Value>(&home.text("router/config.json")).unwrap();
    assert_eq!(router()["window"], json!(window));
    assert_eq!(router()["skills"]["LIBRARY"]["folders"]["papers"], json!(folder));
    let again = init(&home, &["--yes"], "127.0.0.1:1").0.stdout();
    assert!(again.contains(&window) && again.contains(folder), "{again}");
    assert!(again.contains("Nothing has changed."), "{again}");
    let before = files(home.root());
    let taken = TcpListener::bind("127.0.0.2:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let own = home.root().join("router").display().to_string();
    for (options, why) in [
        (["--window", &taken, "--yes"], "choose another address with --window"),
        (["--window", "127.0.0.1:8799", "--yes"], "it is one such as 127.0.0.2:8799"),
        (["--papers", "/no/such/folder", "--yes"], "/no/such/folder"),
        (["--papers", &own, "--yes"], "router"),
    ] {
        let (said, is_done) = init(&home, &options, "127.0.0.1:1");
        assert!(!is_done && said.stderr().contains(why), "{options:?}: {}", said.stderr());
        let which = format!("error: {}: ", options[0].trim_start_matches('-'));
        assert!(said.stderr().contains(&which), "{}", said.stderr());
        assert!(said.stderr().contains("(nothing was changed)"), "{}", said.stderr());
    }
    assert_eq!(files(home.root()), before);
    assert!(init(&home, &["--window", "off", "--papers", "off", "--yes"], "127.0.0.1:1").1);
    assert_eq!(
        (&router()["window"], &router()["skills"]["LIBRARY"]),
        (&json!("off"), &json!(null))
    );
}

#[test]
fn what_was_chosen_in_a_chat_is_what_it_begins_with_and_does_not_come_back_after_it() {
    let home = TempHome::new();
    home.put("agent/config.json", r#"{"llm": {"provider": "ollama", "model": "old"}}"#);
    let chosen = r#"{"llm.model": "chosen", "bot_mode": "business"}"#;
    home.put("workspace/chosen.json", chosen);
    let server = OllamaServer::start([Says::text("ready")]);
    let (said, is_done) = init(&home, &["--model", "ollama:qwen3:4b", "--yes"], &server.host());
    assert!(is_done, "{}", said.stderr());
    assert_eq!(
        (&config(&home)["llm"]["model"], &config(&home)["bot_mode"]),
        (&json!("qwen3:4b"), &json!("business"))
    );
    assert!(!home.root().join("workspace/chosen.json").exists());
    home.put("workspace/chosen.json", r#"{"llm.model": "later"}"#);
    let again = init(&home, &["--yes"], &server.host()).0.stdout();
    assert!(again.contains("ollama:later"), "{again}");
    // What is no choice stays where it is, and the next start tells of it.
    home.put("workspace/chosen.json", r#"{"telegram.owner": 666}"#);
    assert!(init(&home, &["--yes"], &server.host()).1);
    assert_eq!(home.text("workspace/chosen.json"), r#"{"telegram.owner": 666}"#);
}

#[test]
fn a_model_that_is_missing_is_fetched_where_that_is_wanted() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::unknown("mistral"), Says::text("ready")]);
    let options = ["--model", "ollama:mistral", "--fetch", "--yes"];
    let (said, is_done) = init(&home, &options, &server.host());
    assert!(is_done, "{}", said.stderr());
    assert_eq!(server.pulled(), ["mistral"]);
    assert!(said.stderr().contains("[mistral: pulling 8eeb52dfb3bb]"), "{}", said.stderr());
    assert_eq!(config(&home)["llm"]["model"], "mistral");
    // The server that the model is to be on fetches it.
    let there = OllamaServer::start([Says::unknown("mistral"), Says::text("ready")]);
    let model = format!("ollama:mistral@http://{}", there.host());
    let (said, is_done) = init(&home, &["--model", &model, "--fetch", "--yes"], &server.host());
    assert!(is_done, "{}", said.stderr());
    assert_eq!((there.pulled().len(), server.pulled().len()), (1, 1));
}

#[test]
fn quiet_hours_are_read_before_anything_is_written() {
    let home = TempHome::new();
    let before = files(home.root());
    let (said, is_done) = init(&home, &["--quiet", "22-7", "--yes"], "127.0.0.1:1");
    assert!(!is_done && said.stderr().contains("such as 22:00-07:00"), "{}", said.stderr());
    assert_eq!(files(home.root()), before);
    let (said, _) = init(&home, &["--quiet", "25:00", "--yes"], "127.0.0.1:1");
    assert_eq!(said.stderr().matches("25:00").count(), 1, "{}", said.stderr());
    let (said, is_done) = init(&home, &["--quiet", "22:00-07:00", "--yes"], "127.0.0.1:1");
    assert!(
        is_done && said.stdout().contains("watches are quiet 22:00-07:00"),
        "{}",
        said.stdout()
    );
    assert_eq!(config(&home)["clock"]["quiet"], "22:00-07:00");
    assert!(init(&home, &["--quiet", "none", "--yes"], "127.0.0.1:1").1);
    assert_eq!(config(&home)["clock"]["quiet"], Value::Null);
}
