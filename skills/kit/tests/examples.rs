//! The check of a manifest's examples.

#![allow(clippy::unwrap_used, reason = "what a test builds on has to be there")]

use std::io::Write;

use safeclaw_skill::testing::{Trial, check_examples};
use serde::Deserialize;

#[derive(Deserialize)]
struct Params {
    #[serde(rename = "text")]
    _text: String,
    #[serde(rename = "times")]
    _times: Option<u8>,
}

const HEAD: &str = r#"
name = "ECHO"
[settings]
voice = "loud"
[params]
text = { type = "string", maxLength = 3 }
times = { type = "integer", optional = true }
"#;

fn manifest(rest: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    write!(file, "{HEAD}{rest}").unwrap();
    file
}

fn check(rest: &str) -> Result<(), String> {
    check_examples::<Params>(manifest(rest).path()).map_err(|error| error.to_string())
}

#[test]
fn good_examples_pass() {
    let examples = "[[examples]]\nsay = 'a'\nparams = { text = 'a' }\n\
                    [[examples]]\nsay = 'b'\nparams = { text = 'b', times = 2 }";
    assert_eq!(check(examples), Ok(()));
}

#[test]
fn an_example_that_the_router_or_the_skill_would_not_take_is_named() {
    for (params, words) in [
        ("{}", "the example \"go\" does not fit [params]: \"text\" is a required property"),
        (
            "{ text = 'long' }",
            "the example \"go\" does not fit [params]: \"long\" is longer than 3 characters",
        ),
        (
            "{ text = 'a', loud = true }",
            "the example \"go\" does not fit [params]: Additional properties are not allowed ('loud' was unexpected)",
        ),
        (
            "{ text = 'a', times = 300 }",
            "the example \"go\" does not fit the skill's parameters: invalid value: integer `300`, expected u8",
        ),
    ] {
        assert_eq!(
            check(&format!("[[examples]]\nsay = 'go'\nparams = {params}")),
            Err(words.to_owned())
        );
    }
    assert!(check("").unwrap_err().ends_with("has no [[examples]]"));
}

#[test]
fn a_trial_has_the_manifests_settings() {
    let trial = Trial::of(manifest("").path()).unwrap();
    assert_eq!(trial.call().setting::<String>("voice").unwrap(), "loud");
    assert_eq!(trial.setting("voice", "low").call().setting::<String>("voice").unwrap(), "low");
}
