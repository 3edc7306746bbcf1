//! What shells and man are given: completions that complete, and a page for each command.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::fs;
use std::process::{Command, Output, Stdio};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn safeclaw(args: &[&str]) -> Output {
    Command::new(SAFECLAW).args(args).env_clear().output().unwrap()
}

/// What bash offers behind the words of `line`.
fn offered(script: &str, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let ask = format!(
        "{script}\nCOMP_WORDS=({line}); COMP_CWORD={last}\n_safeclaw safeclaw \"{}\" {before}\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words[last]
    );
    // Too long for an argument.
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), ask).unwrap();
    let output = Command::new("bash").arg("--norc").arg(file.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_what_stands_behind_them() {
    let output = safeclaw(&["completions", "bash"]);
    assert!(output.status.success());
    let script = String::from_utf8(output.stdout).unwrap();
    assert_eq!(offered(&script, "safeclaw doc"), ["doctor"]);
    assert_eq!(offered(&script, "safeclaw service inst"), ["install"]);
    assert_eq!(offered(&script, "safeclaw completions fi"), ["fish"]);
    assert!(offered(&script, "safeclaw router ").contains(&"policy".to_owned()));
}

#[test]
fn each_shell_gets_its_own_and_no_other_name_is_known() {
    for (shell, mark) in [("zsh", "#compdef safeclaw"), ("fish", "complete -c safeclaw")] {
        let output = safeclaw(&["completions", shell]);
        assert!(output.status.success());
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains(mark) && script.contains("rollback"), "{shell}: {script}");
    }
    let output = safeclaw(&["completions", "csh"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("bash, elvish, fish, powershell, zsh"), "{told}");
}

#[test]
fn a_reader_who_leaves_early_is_no_failure() {
    let mut child = Command::new(SAFECLAW)
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    assert!(safeclaw(&["manual", at]).status.success());
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let first = page("safeclaw.1");
    assert!(first.contains(".TH safeclaw 1"), "{first}");
    assert!(first.contains("safeclaw\\-doctor(1)") && !first.contains("manual(1)"), "{first}");
    assert!(page("safeclaw-service-install.1").contains("Write the unit"));
    let output = safeclaw(&["manual", "/no/such/folder"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: can't write to /no/such/folder"), "{told}");
}
