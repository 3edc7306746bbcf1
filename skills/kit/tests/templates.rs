//! The templates of `start_router new-skill` work as they are written, by the router's contract.

#![allow(clippy::unwrap_used, reason = "what a test builds on has to be there")]

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use safeclaw_skill::testing::{Trial, check_examples};
use serde_json::{Value, json};
use tempfile::TempDir;

const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../template");

/// Writes a template as a skill called MY_SKILL.
fn written(language: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    copy(&Path::new(TEMPLATES).join(language), folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    let kit = format!("path = {:?}", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            std::fs::create_dir(&to).unwrap();
            copy(&from, &to);
            continue;
        }
        let text = std::fs::read_to_string(&from).unwrap();
        let text = text.replace("{{NAME}}", "MY_SKILL").replace("{{folder}}", "my_skill");
        let text = text.replace("{{kit}}", &kit);
        assert!(!text.contains("{{"), "{}: a placeholder that nobody fills", from.display());
        std::fs::write(&to, text).unwrap();
        std::fs::set_permissions(&to, std::fs::metadata(&from).unwrap().permissions()).unwrap();
    }
}

#[expect(clippy::disallowed_types, reason = "what is tested is a process")]
fn command(program: impl AsRef<std::ffi::OsStr>) -> std::process::Command {
    std::process::Command::new(program)
}

/// Runs a skill's program once, in the environment of the contract.
fn run(program: &Path, params: &str, dry_run: bool) -> Output {
    let mut skill = command(program);
    let scratch = TempDir::new().unwrap();
    skill.env_clear().current_dir(scratch.path()).envs([
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/work"),
        ("LANG", "C.UTF-8"),
        ("SAFECLAW_SKILL", "MY_SKILL"),
        ("SAFECLAW_MODE", "once"),
        ("SAFECLAW_SETTINGS", "{}"),
        ("SAFECLAW_MESSAGE_ID", "m1"),
        ("SAFECLAW_ATTEMPT", "1"),
    ]);
    if dry_run {
        skill.env("SAFECLAW_DRY_RUN", "1");
    }
    skill.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut skill = skill.spawn().unwrap();
    skill.stdin.take().unwrap().write_all(params.as_bytes()).unwrap();
    skill.wait_with_output().unwrap()
}

/// The one object that the skill answered with exit code 0.
fn answer(program: &Path, params: &Value) -> Value {
    let output = run(program, &params.to_string(), false);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn the_manifests_examples_fit_and_the_name_is_filled_in() {
    for language in ["rust", "python", "sh"] {
        let folder = written(language);
        let manifest = folder.path().join("skill.toml");
        check_examples::<Value>(&manifest).unwrap();
        Trial::of(&manifest).unwrap();
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(text.contains("\nname = \"MY_SKILL\"\n"), "{text}");
    }
}

#[test]
fn what_is_commented_out_in_a_manifest_is_good_toml() {
    for language in ["rust", "python", "sh"] {
        let text = std::fs::read_to_string(written(language).path().join("skill.toml")).unwrap();
        let is_code = |line: &str| line.starts_with('[') || line.split(' ').nth(1) == Some("=");
        let lines = text.lines().map(|line| match line.strip_prefix("# ") {
            Some(rest) if is_code(rest) => rest,
            _ => line,
        });
        let uncommented: Vec<&str> = lines.collect();
        let table: toml::Table = uncommented.join("\n").parse().unwrap();
        for key in ["net", "secrets", "settings"] {
            assert!(table.contains_key(key), "{key} is not shown in {language}");
        }
    }
}

#[test]
fn the_python_template_works() {
    let folder = written("python");
    let program = folder.path().join("run");
    let counted = answer(&program, &json!({"text": "Grüße, \"Welt\"\n日本"}));
    assert_eq!(counted, json!({"words": 3, "characters": 16}));
    assert_eq!(answer(&program, &json!({"text": " "})), json!({"error": "the text is empty"}));
    assert!(answer(&program, &json!({}))["error"].is_string());
    assert!(run(&program, "{\"text\":\"a\"}", true).status.success());
    assert!(String::from_utf8(run(&program, "nonsense", false).stdout).unwrap().contains("error"));
}

#[test]
fn the_shell_template_works() {
    let folder = written("sh");
    let program = folder.path().join("run");
    let time = answer(&program, &json!({"what": "time"}));
    assert!(time["answer"].as_str().unwrap().ends_with(" UTC"), "{time}");
    let kernel = answer(&program, &json!({"what": "kernel"}));
    assert!(kernel["answer"].as_str().unwrap().starts_with("Linux "), "{kernel}");
    let error = answer(&program, &json!({"what": "else"}));
    assert_eq!(error, json!({"error": "what: it is \"time\" or \"kernel\""}));
}

#[test]
fn the_shell_templates_strings_are_json_whatever_is_in_them() {
    let folder = written("sh");
    let program = folder.path().join("run");
    let script = std::fs::read_to_string(&program).unwrap();
    let (functions, _) = script.split_once("params=$(cat)").unwrap();
    std::fs::write(&program, format!("{functions}\njson_string \"$(cat)\"\n")).unwrap();
    for (text, expected) in [
        ("plain", "plain"),
        ("", ""),
        ("a\"b\\c\\n%s $(x) `y` é 日本", "a\"b\\c\\n%s $(x) `y` é 日本"),
        ("two\nlines\n\nand one", "two\nlines\n\nand one"),
        ("a\tb\rc\u{1b}[31md", "a b c[31md"),
    ] {
        let output = run(&program, text, false);
        let string: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(string, expected, "{output:?}");
    }
}

#[test]
fn the_rust_template_builds_passes_its_own_tests_and_works() {
    let folder = written("rust");
    // The versions that this workspace has, so that nothing is looked up.
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    std::fs::copy(lock, folder.path().join("Cargo.lock")).unwrap();
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/rust-template");
    for verb in ["test", "build"] {
        let mut cargo = command(env!("CARGO"));
        cargo.args([verb, "--offline", "--quiet"]).current_dir(folder.path());
        cargo.envs([("CARGO_TARGET_DIR", target), ("CARGO_PROFILE_DEV_DEBUG", "0")]);
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let program = Path::new(target).join("debug/my_skill");
    let counted = answer(&program, &json!({"text": "Hello World"}));
    assert_eq!(counted, json!({"words": 2, "characters": 11}));
    assert_eq!(answer(&program, &json!({"text": " "})), json!({"error": "the text is empty"}));
}
