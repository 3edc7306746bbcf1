//! A config of every shape that the processes' own have: nested, a choice, a list, a free-form map.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Settings {
    timeout: u64,
    llm: Llm,
    ports: Vec<u16>,
    skills: BTreeMap<String, Switch>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Llm {
    provider: Provider,
    model: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Provider {
    #[default]
    Ollama,
    Offline,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Switch {
    enabled: bool,
    settings: BTreeMap<String, String>,
}

const INITIAL: &str = r#"{"timeout": 10}"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(text: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(place.path(), text).unwrap();
        place
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("config.json")
    }

    fn open(&self) -> Result<ConfigFile<Settings>, ConfigError> {
        ConfigFile::open(&self.path(), INITIAL)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }
}

/// What is said of a file with this text, without the path that it starts with.
fn said(text: &str) -> String {
    let place = Place::new(text);
    let error = place.open().unwrap_err();
    assert_eq!(place.text(), text, "a file with an error is left alone");
    let said = error.to_string();
    said.strip_prefix(&format!("{}: ", place.path().display())).unwrap().to_owned()
}

#[test]
fn a_missing_file_is_cloned_from_the_initial_one() {
    let place = Place::new("");
    fs::remove_file(place.path()).unwrap();
    assert_eq!(place.open().unwrap().settings().timeout, 10);
    assert_eq!(place.text(), INITIAL);
}

#[test]
fn what_is_missing_in_the_file_is_the_default() {
    let config = Place::new(r#"{"llm": {"provider": "offline"}}"#).open().unwrap();
    let llm = Llm { provider: Provider::Offline, model: None };
    assert_eq!(config.settings(), &Settings { llm, ..Settings::default() });
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_right_one() {
    assert_eq!(said(r#"{"timeuot": 1}"#), "there is no key timeuot; did you mean timeout?");
    assert_eq!(
        said(r#"{"llm": {"modle": "x"}}"#),
        "there is no key llm.modle; did you mean llm.model?"
    );
    assert_eq!(said(r#"{"model": "x"}"#), "there is no key model; did you mean llm.model?");
    assert_eq!(said(r#"{"zzz": 1}"#), "there is no key zzz");
    // A key that holds nothing yet is meant to hold something one day.
    assert_eq!(said(r#"{"skils": {}}"#), "there is no key skils; did you mean skills?");
    assert_eq!(said(r#"{"prots": []}"#), "there is no key prots; did you mean ports?");
}

#[test]
fn a_free_form_map_takes_any_key_and_its_values_are_checked() {
    let any = r#"{"skills": {"ANY_NAME": {"enabled": true, "settings": {"any": "text"}}}}"#;
    assert!(Place::new(any).open().unwrap().settings().skills["ANY_NAME"].enabled);
    assert_eq!(
        said(r#"{"skills": {"X": {"enabeld": true}}}"#),
        "there is no key skills.X.enabeld; did you mean skills.X.enabled?"
    );
    assert_eq!(
        said(r#"{"skills": {"X": {"enabled": "yes"}}}"#),
        "skills.X.enabled is \"yes\", but has to be true or false"
    );
}

#[test]
fn a_value_of_the_wrong_type_is_shown_with_what_would_be_right() {
    assert_eq!(
        said(r#"{"timeout": "ten"}"#),
        "timeout is \"ten\", but has to be a whole number, not negative"
    );
    assert_eq!(
        said(r#"{"timeout": -1}"#),
        "timeout is -1, but has to be a whole number, not negative"
    );
    assert_eq!(said(r#"{"llm": "llama"}"#), "llm is \"llama\", but has to be an object");
    // serde alone would read this as the fields in their order.
    assert_eq!(said(r#"{"llm": ["ollama"]}"#), "llm is [\"ollama\"], but has to be an object");
    assert_eq!(
        said(r#"{"llm": {"provider": "olama"}}"#),
        "llm.provider is \"olama\", but has to be `ollama` or `offline`"
    );
    assert_eq!(
        said(r#"{"ports": [1, true]}"#),
        "ports[1] is true, but has to be a whole number, not negative"
    );
    let long = said(&format!(r#"{{"timeout": "{}"}}"#, "ä".repeat(1_000)));
    assert!(long.chars().count() < 150 && long.contains("..."), "{long}");
}

#[test]
fn a_file_that_is_no_json_object_says_how_to_go_on() {
    for broken in ["", "[]", "{\"timeout\": 1,}", "{\"timeout\": 1, \"timeout\": 2}"] {
        let said = said(broken);
        assert!(
            said.ends_with("; mend it, or remove it to start with the defaults again"),
            "{said}"
        );
        assert!(said.len() > 70, "where it breaks: {said}");
    }
}

#[test]
fn setting_a_key_keeps_the_rest_and_its_order() {
    let place = Place::new(r#"{"skills": {"B": {"enabled": false}, "A": {}}, "timeout": 10}"#);
    let mut config = place.open().unwrap();
    config.set("skills.B.enabled", json!(true)).unwrap();
    config.set("llm.model", json!("qwen")).unwrap();
    assert_eq!(config.settings().llm.model.as_deref(), Some("qwen"));
    let expected = r#"{
  "skills": {
    "B": {
      "enabled": true
    },
    "A": {}
  },
  "timeout": 10,
  "llm": {
    "model": "qwen"
  }
}
"#;
    assert_eq!(place.text(), expected);
}

#[test]
fn an_edit_by_hand_since_the_file_was_read_is_kept() {
    let place = Place::new(r#"{"timeout": 10}"#);
    let mut config = place.open().unwrap();
    fs::write(place.path(), r#"{"timeout": 10, "ports": [80]}"#).unwrap();
    config.set("timeout", json!(20)).unwrap();
    let expected = Settings { timeout: 20, ports: vec![80], ..Settings::default() };
    assert_eq!(config.settings(), &expected);
}

#[test]
fn a_change_that_does_not_fit_changes_nothing() {
    let place = Place::new(INITIAL);
    let mut config = place.open().unwrap();
    for (key, value) in
        [("timeout", json!("x")), ("llm.modle", json!("x")), ("timeout.x", json!(1))]
    {
        config.set(key, value).unwrap_err();
        assert_eq!((place.text().as_str(), config.settings().timeout), (INITIAL, 10), "{key}");
    }
}

#[test]
fn several_keys_are_set_together_or_not_at_all() {
    let place = Place::new(INITIAL);
    let mut config = place.open().unwrap();
    config.set_all([("timeout", json!(20)), ("llm.modle", json!("x"))]).unwrap_err();
    assert_eq!((place.text().as_str(), config.settings().timeout), (INITIAL, 10));
    config.set_all([("timeout", json!(20)), ("llm.model", json!("qwen"))]).unwrap();
    let settings = config.settings();
    assert_eq!((settings.timeout, settings.llm.model.as_deref()), (20, Some("qwen")));
}
