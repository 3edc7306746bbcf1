//! `safeclaw import`: what other programs' homes hold comes along once, whole, and harms nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use testkit::{Chat, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What the command says, and whether it was done.
fn import(home: &TempHome, args: &[&str]) -> (String, bool) {
    let output = Command::new(SAFECLAW)
        .args(["import"])
        .args(args)
        .env_clear()
        .env("HOME", home.root())
        .env("SAFECLAW_HOME", home.root())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).unwrap(), output.status.success())
}

/// A copy of a sample home, with secrets in its .env.
fn sample(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    for path in paths(&from) {
        let to = folder.path().join(path.strip_prefix(&from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(path, to).unwrap();
    }
    fs::write(
        folder.path().join(".env"),
        "GEMINI_API_KEY=gem-own-key-of-the-tests\nPYTHONPATH=x\n",
    )
    .unwrap();
    folder
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { paths(&path) } else { vec![path] }).collect()
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    paths(folder).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn config(home: &TempHome) -> Value {
    serde_json::from_str(&home.text("agent/config.json")).unwrap()
}

#[test]
fn what_multis_keeps_comes_along_and_the_rest_is_told_with_the_reason() {
    let (home, from) = (TempHome::new(), sample("multis"));
    let dir = from.path().to_str().unwrap();
    let (there, here) = (files(from.path()), files(home.root()));
    let (told, is_done) = import(&home, &["multis", dir, "--dry-run"]);
    assert!(is_done && told.contains("nothing was changed (--dry-run)"), "{told}");
    assert_eq!(files(home.root()), here, "a dry run writes nothing");
    for line in [
        "comes  llm.model, as llm.model in agent/config.json: \"gpt-4o-mini\"",
        "comes  llm.apiKey, as OPENAI_API_KEY in .env",
        "comes  platforms.telegram.bot_token, as TELEGRAM_BOT_TOKEN in .env",
        "comes  owner_id, as telegram.owner in agent/config.json: 8503143603",
        "comes  allowed_users, as telegram.allow in agent/config.json: [77]",
        "comes  business, as workspace/business.json",
        "comes  skills/customer-support.md, as workspace/skills/customer-support.md",
        "stays  skills/capture.md: there is no key version",
        "stays  security.pin_hash: it is easily guessed from",
        "stays  platforms.beeper: there is no such channel here",
        "stays  pairing_code: it never ends",
        "stays  the memory of chat tg-99: others' chats begin afresh",
        "stays  data/scheduler.json: set them again",
        "stays  PYTHONPATH of .env: nothing here reads it",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    let (done, is_done) = import(&home, &["multis", dir, "--yes"]);
    assert!(is_done && done.contains("things have come along"), "{done}");
    for secret in ["multis-own", "gem-own", "03ac67"] {
        assert!(!told.contains(secret) && !done.contains(secret), "{told}{done}");
    }
    let config = config(&home);
    assert_eq!(config["bot_mode"], "business");
    assert_eq!(
        (&config["memory"]["owner"], &config["memory"]["guests"]),
        (&200.into(), &60.into())
    );
    assert!(!config.to_string().contains("-own-"), "{config}");
    let mode = fs::metadata(home.env_file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        home.text(".env").contains("multis-own-token") && home.text(".env").contains("gem-own-key")
    );
    assert!(home.text("workspace/business.json").contains("telegram-77"));
    let notes = home.text("workspace/memory.md");
    assert!(
        notes.contains("## 2026-02-01T10:00:00.000Z captured [T]\n\nThe owner likes"),
        "{notes}"
    );
    assert!(!notes.contains("QUAGGA"), "{notes}");
    assert_eq!(files(from.path()), there, "nothing is changed there");
    // Once more: all of it is there, and nothing is overwritten.
    home.put("workspace/business.json", "{\"name\": \"Mine\"}");
    let before = files(home.root());
    let (again, _) = import(&home, &["multis", dir, "--yes"]);
    assert!(again.contains("workspace/business.json is there already"), "{again}");
    assert!(again.contains("OPENAI_API_KEY is set already"), "{again}");
    assert_eq!(
        files(home.root())[&home.workspace().join("business.json")],
        b"{\"name\": \"Mine\"}"
    );
    assert_eq!(files(home.root())[&home.env_file()], before[&home.env_file()]);
}

#[test]
fn what_is_set_here_is_kept() {
    let (home, from) = (TempHome::new(), sample("multis"));
    home.put("agent/config.json", r#"{"llm": {"provider": "offline"}, "telegram": {"owner": 42}}"#);
    let (told, is_done) = import(&home, &["multis", from.path().to_str().unwrap(), "--yes"]);
    assert!(is_done, "{told}");
    assert!(told.contains("stays  owner_id: telegram.owner is set here already"), "{told}");
    assert!(told.contains("stays  llm.provider: llm.provider is set here already"), "{told}");
    assert_eq!(config(&home)["telegram"]["owner"], 42);
}

#[test]
fn what_the_first_safeclaw_keeps_comes_along_and_counts() {
    let (home, from) = (TempHome::new(), sample("first-safeclaw"));
    let dir = from.path().to_str().unwrap();
    let memory = paths(from.path()).into_iter().find(|path| path.ends_with("memory.json")).unwrap();
    let mut facts: Value = serde_json::from_slice(&fs::read(&memory).unwrap()).unwrap();
    facts["boss"] = "boss@evil.example".into();
    facts["_own"] = Value::from(vec!["boss"]);
    fs::write(&memory, facts.to_string()).unwrap();
    fs::write(from.path().join(".env"), "OLLAMA_HOST=http://me:word@evil.example:11434\n").unwrap();
    let (told, is_done) = import(&home, &["safeclaw", dir, "--yes"]);
    assert!(is_done, "{told}");
    assert!(told.contains("OLLAMA_HOST of .env (evil.example:11434)"), "{told}");
    let brought = home.text("workspace/memory.json");
    assert!(brought.contains("boss@evil.example") && !brought.contains("_own"), "{brought}");
    for line in [
        "comes  workspace/SOUL.md, as workspace/SOUL.md",
        "comes  workspace/memory.json, as workspace/memory.json",
        "comes  channels.telegram, as TELEGRAM_BOT_TOKEN in .env",
        "comes  timeout, as timeout in agent/config.json: 25",
        "stays  channels.smoke: there is no such channel",
        "stays  colour: there is no such setting",
        "stays  router/skills/create_post: a skill is a program with a manifest now",
        "stays  workspace/router_actions.json: the router publishes",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    assert!(!told.contains("first-own"), "{told}");
    assert_eq!(
        (&config(&home)["timeout"], &config(&home)["llm"]["model"]),
        (&25.into(), &"qwen2.5:3b".into())
    );
    fs::write(home.env_file(), "").unwrap();
    home.put("agent/config.json", r#"{"llm": {"provider": "offline"}}"#);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    let memory = chat.ask("/memory", "Grimbank");
    assert!(memory.contains("favourite_tea"), "{memory}");
    assert!(chat.end().success());
}

#[test]
fn a_home_that_is_in_use_or_none_is_refused() {
    let (home, from) = (TempHome::new(), sample("multis"));
    let dir = from.path().to_str().unwrap();
    let script = from.path().join("multis.js");
    // A shell that waits for a line: one process, which leaves none behind when it is killed.
    fs::write(&script, "read line\n").unwrap();
    fs::create_dir(from.path().join("run")).unwrap();
    // It says its number, or it works there.
    for (says_number, place) in [(true, home.root()), (false, from.path())] {
        let mut runs = Command::new("sh");
        runs.arg(&script).current_dir(place).stdin(std::process::Stdio::piped());
        let mut runs = runs.spawn().unwrap();
        let number = if says_number { runs.id().to_string() } else { String::new() };
        fs::write(from.path().join("run/multis.pid"), number).unwrap();
        let line = format!("/proc/{}/cmdline", runs.id());
        testkit::wait_until("it runs", || {
            fs::read_to_string(&line).is_ok_and(|line| line.contains("multis.js"))
        });
        let (told, is_done) = import(&home, &["multis", dir, "--yes"]);
        runs.kill().unwrap();
        runs.wait().unwrap();
        assert!(!is_done && told.contains("is in use by process"), "{told}");
    }
    let (told, is_done) = import(&home, &["multis", dir, "--dry-run"]);
    assert!(is_done, "{told}");
    for (args, why) in [
        (["safeclaw", dir], "is no home of the first SafeClaw"),
        (["multis", home.root().to_str().unwrap()], "is a home of this SafeClaw"),
        (["multis", "/nowhere"], "/nowhere"),
    ] {
        let (told, is_done) = import(&home, &args);
        assert!(!is_done && told.contains(why), "{told}");
    }
    let (told, is_done) = import(&home, &["multis", dir]);
    assert!(!is_done && told.contains("pass --yes, or --dry-run"), "{told}");
}
