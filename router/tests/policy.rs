//! `start_router policy` through the real program.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_types)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use testkit::TempHome;

const POST: &str = r#"{"platform": "X", "text": "Hello"}"#;

/// What the program prints, with the home's path left out, and its exit code.
fn said(home: &TempHome, args: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_start_router"))
        .arg("--home")
        .arg(home.root())
        .arg("policy")
        .args(args)
        .env_clear()
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    (text.replace(&format!("{}/", home.root().display()), ""), output.status.code().unwrap())
}

fn home(policy: &str) -> TempHome {
    let home = TempHome::greeting();
    home.put("router/policy.toml", policy);
    home.put("router/.env", "X_TOKEN=hunter2hunter2\n");
    fs::set_permissions(home.root().join("router/.env"), Permissions::from_mode(0o600)).unwrap();
    home
}

#[test]
fn check_tells_every_mistake_with_its_line_and_what_to_write() {
    let home = home("[effects]\nexternl = \"ask\"\nirreversible = \"allow\"\n");
    let expected = "\
router/policy.toml line 2: externl = \"ask\"
  error: there is no key externl in [effects]
  do:    did you mean external?
router/policy.toml line 3: irreversible = \"allow\"
  error: what can't be taken back is always asked for
  do:    write irreversible = \"ask\", or \"refuse\"
2 errors; a router does not start with this policy, and one that runs keeps the one before
";
    assert_eq!(said(&home, &["check"]), (expected.to_owned(), 1));
}

#[test]
fn check_warns_of_rules_that_do_not_do_what_they_seem_to() {
    let home = home(
        "[effects]\n[[rules]]\naction = \"CREATE_PSOT\"\nthen = \"ask\"\n\n\
         [[rules]]\naction = \"CREATE_POST\"\nparams = { txt = \"*\" }\nthen = \"refuse\"\n\n\
         [[rules]]\naction = \"*\"\nthen = \"allow\"\n",
    );
    let (text, code) = said(&home, &["check"]);
    assert_eq!(code, 0);
    let first = "line 2: [[rules]] action = \"CREATE_PSOT\"; then = \"ask\"\n  warning: this rule's action is that of no skill\n";
    assert!(text.contains(first), "{text}");
    for words in ["did you mean text?", "allows everything", "holds: 3 rules, 3 warnings, version "]
    {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn explain_tells_the_verdict_its_rule_and_what_a_grant_would_allow() {
    let home = home("[effects]\nexternal = \"allow\"\n");
    let (allowed, code) = said(&home, &["explain", "CREATE_POST", POST]);
    assert_eq!(code, 0);
    assert!(allowed.starts_with("verdict  allow: "), "{allowed}");
    assert!(
        allowed.contains("\nrule     effects.external\npolicy   line 2: external = \"allow\"\n")
    );
    let (asked, _) = said(&home, &["explain", "CREATE_POST", POST, "--taint", "T"]);
    let expected = "\
verdict  ask: a person would be asked first
rule     fixed: external under T
policy   line 2: external = \"allow\"
effect   external: it is seen elsewhere, and untrusted text has entered this session
code     none
always   CREATE_POST with platform = \"X\" and any text, in this session, for this person
";
    assert_eq!(asked, expected);
    let (both, _) = said(&home, &["explain", "CREATE_POST", POST, "--taint", "TP"]);
    assert!(both.contains("fixed: external under T and P"), "{both}");
    let own = ["explain", "CREATE_POST", POST, "--taint", "TP", "--said", "Post to X: Hello"];
    assert!(said(&home, &own).0.starts_with("verdict  allow: "), "{own:?}");
    let refused = said(&home, &["explain", "HELLO_WORLD"]).0;
    assert!(
        refused.contains("policy   nothing is written for it, so that it is refused\n"),
        "{refused}"
    );
}

#[test]
fn explain_knows_who_asks_and_what_is_a_dry_run() {
    let rule = "[effects]\nnone = \"allow\"\nexternal = \"ask\"\n[[rules]]\naction = \"CREATE_*\"\n\
        principal = \"telegram:42\"\nsession = \"guests\"\nthen = \"refuse\"\n";
    let home = home(rule);
    let guest = ["--principal", "telegram:42", "--session", "guests"];
    let text = said(&home, &[&["explain", "CREATE_POST", POST], &guest[..]].concat()).0;
    assert!(text.contains("rule     rule 1 (line 4)\n"), "{text}");
    let owner = said(&home, &["explain", "CREATE_POST", POST]).0;
    assert!(owner.contains("rule     effects.external\n"), "{owner}");
    home.put("router/.env", "");
    let dry = said(&home, &["explain", "CREATE_POST", POST, "--taint", "TP"]).0;
    assert!(dry.starts_with("verdict  allow: "), "{dry}");
    assert!(dry.contains("dry run  X_TOKEN is not set in router/.env\n"), "{dry}");
}

#[test]
fn explain_says_of_a_bad_call_what_the_router_would() {
    let home = home("[effects]\nnone = \"allow\"\n");
    for (args, words) in [
        (
            &["CREATE_POTS"][..],
            "unknown (unknown_action): there is no skill CREATE_POTS; did you mean CREATE_POST?",
        ),
        (&["create_post"], "unknown (unknown_action): \"create_post\" is no action name"),
        (
            &["CREATE_POST", r#"{"platform": "X"}"#],
            "error (bad_params): the parameters don't fit: \"text\" is a required",
        ),
        (&["HELLO_WORLD", "{"], "error (bad_request): the parameters: "),
        (
            &["HELLO_WORLD", r#"{"name": "a", "name": "b"}"#],
            "error (bad_request): the parameters: ",
        ),
    ] {
        let (text, code) = said(&home, &[&["explain"], args].concat());
        assert_eq!(code, 1, "{text}");
        assert!(text.starts_with(&format!("the router would answer: {words}")), "{text}");
    }
}

#[test]
fn what_a_full_disk_swallows_is_an_error() {
    let home = home("");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut skills = Command::new(env!("CARGO_BIN_EXE_start_router"));
    skills.args(["skills", "--home"]).arg(home.root()).env_clear().stdout(full);
    let output = skills.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("can't be written: No space left"), "{told}");
}
