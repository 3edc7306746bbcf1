//! `safeclaw doctor` on homes that are broken on purpose: it finds each fault, names what mends it, and changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

mod around;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use testkit::{Chat, OllamaServer, Says, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What the doctor printed, and its exit code.
struct Seen {
    checks: Vec<Value>,
    code: i32,
}

impl Seen {
    /// The home as the doctor sees it, with `variables` in its environment.
    fn of(home: &Path, variables: &[(&str, &str)]) -> Self {
        let output = Command::new(SAFECLAW)
            .args(["doctor", "--json"])
            .env_clear()
            .env("HOME", home)
            .env("SAFECLAW_HOME", home)
            .env("OLLAMA_HOST", "127.0.0.1:9")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let printed: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let checks = printed["checks"].as_array().unwrap().clone();
        let seen = Self { checks, code: output.status.code().unwrap() };
        seen.is_as_told(&printed);
        seen
    }

    /// That what was printed has the form that `--help` tells, and that the worst line decides the exit code.
    #[track_caller]
    fn is_as_told(&self, printed: &Value) {
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(printed), ["checks"]);
        assert!(self.checks.iter().all(|check| keys(check) == ["name", "status", "seen", "mend"]));
        let worst = self.checks.iter().map(|check| match check["status"].as_str().unwrap() {
            "ok" => 0,
            "warn" => 1,
            "fail" => 2,
            other => panic!("{other}"),
        });
        assert_eq!(worst.max(), Some(self.code), "{:#?}", self.checks);
    }

    /// That a line of this name and status says `seen` and mends it with `mend`.
    #[track_caller]
    fn has(&self, name: &str, status: &str, seen: &str, mend: &str) {
        let fits = |check: &&Value| {
            let text = |key: &str| check[key].as_str().unwrap().to_owned();
            text("name") == name
                && text("status") == status
                && text("seen").contains(seen)
                && text("mend").contains(mend)
        };
        assert!(self.checks.iter().any(|check| fits(&check)), "{name}: {:#?}", self.checks);
    }
}

/// A home whose model is none, so that nothing else is asked.
fn offline() -> TempHome {
    let home = TempHome::new();
    home.put("agent/config.json", r#"{"llm": {"provider": "offline"}}"#);
    home
}

/// Runs a command that goes well.
fn safeclaw(home: &TempHome, args: &[&str]) {
    let done = Command::new(SAFECLAW)
        .args(args)
        .env_clear()
        .env("SAFECLAW_HOME", home.root())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Every file below `folder` with its bytes, and every folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            found.insert(path.to_string_lossy().into_owned(), bytes);
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

#[test]
fn a_fresh_home_is_told_what_is_missing_and_nothing_is_written() {
    let home = TempHome::new();
    let fresh = home.root().join("not-there");
    let seen = Seen::of(&fresh, &[]);
    seen.has("home", "warn", "is not there yet", "first start");
    seen.has("model", "fail", "nothing answers at 127.0.0.1:9", "safeclaw agent config llm");
    seen.has("queue", "ok", "over a pipe", "");
    assert_eq!(seen.code, 2);
    assert!(!fresh.exists());
}

#[test]
fn a_home_that_is_used_is_left_as_it_is() {
    let home = offline();
    home.put("workspace/memory.json", "{}");
    home.put("router/policy.toml", "");
    let before = files(home.root());
    Seen::of(home.root(), &[]);
    assert_eq!(files(home.root()), before);
}

#[test]
fn the_model_that_was_chosen_in_a_chat_is_the_one_that_is_tried() {
    let home = offline();
    let chosen = r#"{"llm.provider": "ollama", "llm.model": "qwen3:4b"}"#;
    home.put("workspace/chosen.json", chosen);
    let before = files(home.root());
    let seen = Seen::of(home.root(), &[]);
    seen.has("model", "fail", "ollama:qwen3:4b", "safeclaw agent config llm");
    home.put("workspace/chosen.json", r#"{"telegram.owner": 666}"#);
    let seen = Seen::of(home.root(), &[]);
    seen.has("agent settings", "warn", "chosen.json says does not count", "");
    home.put("workspace/chosen.json", chosen);
    assert_eq!(files(home.root()), before);
}

#[test]
fn where_all_is_well_the_exit_code_is_0_also_beside_a_chat_that_holds_the_locks() {
    let home = TempHome::new();
    let ollama = OllamaServer::start(std::iter::repeat_n(Says::text("pong"), 9));
    let address = ollama.host();
    let variables = [("OLLAMA_HOST", address.as_str()), ("PATH", "/usr/bin:/bin")];
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &variables);
    chat.ask("/status", "workspace:");
    let seen = Seen::of(home.root(), &variables);
    assert_eq!(seen.code, 0, "{:#?}", seen.checks);
    seen.has("format", "ok", "the newest", "");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn a_home_that_this_program_can_not_work_in_is_found_and_its_way_back_named() {
    let home = offline();
    home.put("workspace/memory.json", "{}");
    Seen::of(home.root(), &[]).has("format", "warn", "1 of 2", "safeclaw upgrade");
    home.put("format.json", r#"{"format": 99, "by": "9.0.0"}"#);
    Seen::of(home.root(), &[]).has("format", "fail", "has format 99", "safeclaw rollback");
    home.put("format.json", r#"{"format": 2, "by": "0.1.0", "rolling_back": true}"#);
    let seen = Seen::of(home.root(), &[]);
    seen.has("format", "fail", "cut off in the middle", "safeclaw rollback --yes");
    home.put("format.json", "{");
    Seen::of(home.root(), &[]).has("format", "fail", "can't be read", "from a backup");
}

#[test]
fn settings_that_do_not_load_are_found() {
    let home = TempHome::new();
    home.put("agent/config.json", r#"{"llm": {"modle": "x"}}"#);
    home.put("router/config.json", r#"{"max_parallel": 0}"#);
    let seen = Seen::of(home.root(), &[]);
    seen.has("agent settings", "fail", "llm.modle", "change what is named there");
    seen.has("router settings", "fail", "max_parallel", "change what is named there");
    assert_eq!(seen.code, 2);
}

#[test]
fn broken_files_of_the_mind_are_found() {
    let home = offline();
    home.put("workspace/memory.json", "{\"name\": \"Frank");
    home.put("workspace/PROMPT.md", "Hello {{USER_MESAGE}}");
    home.put(".env", "OLAMA_HOST=127.0.0.1:9\n");
    let seen = Seen::of(home.root(), &[]);
    seen.has("workspace", "fail", "what is remembered", "memory.json");
    home.put("workspace/memory.json", "{}");
    home.put("workspace/memory.md", [0xff]);
    let notes = Seen::of(home.root(), &[]);
    notes.has("workspace", "fail", "what is noted", "memory.md");
    seen.has("prompt", "warn", "USER_MESAGE", "PROMPT.md");
    let built_in = include_str!("../../workspace/PROMPT.md");
    home.put("workspace/PROMPT.md", format!("{built_in}\n{{{{NOW}}}}"));
    Seen::of(home.root(), &[]).has("prompt", "ok", "can be used", "");
    seen.has("agent settings", "warn", "did you mean OLLAMA_HOST", "change or remove");
    seen.has("model", "warn", "offline", "safeclaw agent config llm");
}

#[test]
fn env_files_that_others_can_read_or_that_make_no_sense_are_found() {
    let home = offline();
    home.put("router/.env", "X_TOKEN=hunter2\n");
    let open = |path: &str| {
        let path = home.root().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    };
    open("router/.env");
    home.put(".env", "OPENAI_API_KEY=hunter2\n");
    open(".env");
    let seen = Seen::of(home.root(), &[]);
    seen.has("router settings", "fail", "chmod 600", "change what is named there");
    seen.has("agent settings", "warn", "chmod 600", "change or remove");
    assert!(!format!("{:?}", seen.checks).contains("hunter2"));

    home.put("agent/config.json", "{\"timeout\": 5\n \"llm\": {}}");
    let seen = Seen::of(home.root(), &[]);
    seen.has("agent settings", "fail", "line 2", "change what is named there");
    home.put("agent/config.json", "{}");

    home.put(".env", "this is no setting\n");
    let seen = Seen::of(home.root(), &[]);
    seen.has("agent settings", "fail", "line 1 can't be read", "change what is named there");
}

#[test]
fn broken_rules_skills_and_books_are_found() {
    let home = offline();
    home.put("router/policy.toml", "[[rules]]\naction = \"X\"\nthen = \"perhaps\"\n");
    home.put("router/skills/broken/skill.toml", "name = 7");
    home.put("router/skills/tell_time/skill.toml", TELL_TIME);
    home.put("router/skills/tell_time/run", "#!/bin/sh\necho '{}'\n");
    safeclaw(&home, &["stop"]);
    safeclaw(&home, &["resume"]);
    let rows = home.text("router/audit/cli.jsonl");
    home.put("router/audit/cli.jsonl", rows.replacen("stop", "step", 1));
    let seen = Seen::of(home.root(), &[]);
    seen.has("policy", "fail", "router/policy.toml line", "policy check");
    seen.has("skills", "warn", "left out", "safeclaw router skills");
    seen.has("audit", "fail", "is broken at", "audit verify");

    // A policy that speaks of what is not there holds, and is told.
    home.put("router/policy.toml", "effects = { local = \"sometimes\" }\n");
    Seen::of(home.root(), &[]).has("policy", "fail", "line 1", "policy check");
}

const TELL_TIME: &str = r#"
name = "TELL_TIME"
instruction = "Tell the time."
effect = "none"
command = ["./run"]
[params]
"#;

#[test]
fn a_skill_that_changed_behind_its_pin_and_a_secret_that_is_missing_are_found() {
    let home = offline();
    safeclaw(&home, &["router", "new-skill", "TELL_TIME", "--lang", "sh"]);
    safeclaw(&home, &["router", "trust", "TELL_TIME", "--yes"]);
    let path = home.root().join("router/skills/tell_time/run");
    fs::write(&path, "#!/bin/sh\necho '{\"other\": 1}'\n").unwrap();
    safeclaw(&home, &["router", "skills"]);
    let seen = Seen::of(home.root(), &[]);
    seen.has("skills", "warn", "TELL_TIME is held back", "safeclaw router trust TELL_TIME");
    seen.has("secrets", "ok", "CREATE_POST", "");
}

#[test]
fn a_stop_that_was_forgotten_and_a_clock_that_went_back_are_found() {
    let home = offline();
    safeclaw(&home, &["stop"]);
    let file = fs::File::create(home.root().join("workspace.txt")).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(10 * 3_600)).unwrap();
    let seen = Seen::of(home.root(), &[]);
    seen.has("kill switch", "warn", "everything is stopped", "safeclaw resume");
    seen.has("clock", "warn", "younger than now", "timedatectl");
}

#[test]
fn a_home_that_others_can_write_to_is_found() {
    let home = offline();
    fs::set_permissions(home.root(), fs::Permissions::from_mode(0o777)).unwrap();
    Seen::of(home.root(), &[]).has("home", "fail", "others can write", "chmod go-w");
    fs::set_permissions(home.root(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_home_that_is_read_only_is_found() {
    const LOOK: &str = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && \
        exec \"$0\" --home \"$1\" doctor";
    let home = offline();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", LOOK, SAFECLAW]);
    let output = command.arg(home.root()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let told = format!("FAIL  home              {} is read-only", home.root().display());
    assert_eq!((output.status.code(), said.contains(&told)), (Some(2), true), "{said}");
}

#[test]
fn the_doctor_attacks_its_own_sandbox_and_its_words_have_an_end() {
    let home = offline();
    let output = Command::new(SAFECLAW)
        .arg("doctor")
        .env_clear()
        .env("SAFECLAW_HOME", home.root())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("attacks were held, level"), "{text}");
    assert!(text.contains("It works, with"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}
