//! Lines that are made to deceive the judge: of all that shell knows, and nested deeply.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use governance::{Governance, Line, MOST, Ruling};
use proptest::prelude::*;

use crate::{HOME, governance};

/// A folder whose only programs are `ls` and `echo`, and others that leave a mark.
fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("ls", ":");
    // These run what they are given, which was judged.
    program("sh", "exec /bin/sh \"$@\"");
    program("env", "exec /usr/bin/env \"$@\"");
    for bad in ["rm", "x", "a", "b", "1", "-c", "if"] {
        program(bad, &format!("/usr/bin/touch {}/mark", folder.path().display()));
    }
    folder
}

/// What hostile lines are made of.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "ls", "echo", "rm", "x", "a", " ", " ", " ", "'", "\"", "\\", "$", "`", "(", ")", "{", "}", "$(", "${",
    "))", ";", "&&", "||", "|", "&", ">", "<", "<<<", "<<E", "\n", "*", "?", "[", "]", "!", "#", "~", "=",
    "-", "1", "2>&1", "if ", "; then ", "; fi", "for a in ", "; do ", "; done", "$'", "$\"", "$((", "[[ ",
    " ]]", "sh -c ", "env ", "eval ", "\\\n", "\t", "é", "x=", "PATH=", "-c", "@(", ",", "..", "time ",
];

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TOKENS)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    /// No text makes the judge panic, and what it allows, bash runs without starting anything else.
    #[test]
    fn what_is_allowed_starts_nothing_else(tokens in prop::collection::vec(token(), 1..14)) {
        let text: String = tokens.concat();
        let lists = r#"{"commands": {"allow": ["ls", "echo"]}}"#;
        let governance = Governance::read(lists, Path::new(HOME)).unwrap();
        if governance.judge(&text).ruling() == Ruling::Allow {
            let folder = programs();
            let shell = Line::read(&text, HOME).shell;
            let done = Command::new("/bin/bash")
                .args(["--norc", "--noprofile", "-c", &shell])
                .env_clear()
                .env("PATH", folder.path())
                .current_dir(folder.path())
                .output()
                .unwrap();
            prop_assert!(!folder.path().join("mark").exists(), "{text:?} -> {shell:?}");
            let said = String::from_utf8_lossy(&done.stderr);
            prop_assert!(!said.contains("syntax error"), "{text:?} -> {shell:?}: {said}");
            prop_assert!(!said.contains("command not found"), "{text:?} -> {shell:?}: {said}");
        }
    }

    #[test]
    fn any_text_is_judged(text in ".{0,200}") {
        let _ = governance().judge(&text);
    }
}

/// What is nested deeply must take a parser neither long nor the stack.
#[test]
fn a_hostile_line_is_judged_all_the_same() {
    let governance = governance();
    for piece in [
        "(",
        "{ ",
        "$(",
        "\"$(",
        "${a:-",
        "((",
        "`",
        "[",
        "<(",
        "if ",
        "'",
        "\\",
        "$((",
        "@(",
        "~",
        "\"",
        "a=(",
        "<<a ",
        "! ",
        "time ",
        "while ",
        "for a in ",
        "a|",
        "a&&",
        "a;",
        ">",
        "a=b ",
        "\n",
        "$",
        "${",
        "{",
        "}",
        ")",
        "if a;then ",
    ] {
        for times in [MOST / piece.len(), 32, 10, 5] {
            let line = format!("{}rm", piece.repeat(times));
            assert_eq!(governance.judge(&line).ruling(), Ruling::Deny, "{line}");
        }
    }
}
