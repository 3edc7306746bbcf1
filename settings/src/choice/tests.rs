//! Conversations with a person who has written down what to answer.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use ::llm::PullError;
use home::ConfigFile;
use model::Proof;

use super::super::keys::{Asker, KEYS, Models};
use super::super::{AgentConfig, CONFIG_INITIAL, Key};
use super::*;

/// Answers questions, and keeps what was asked and told.
#[derive(Default)]
struct Person {
    answers: VecDeque<&'static str>,
    confirms: Option<bool>,
    heard: String,
}

impl Asker for Person {
    fn ask(&mut self, question: &str, current: &str, choices: &[String]) -> io::Result<String> {
        for choice in choices {
            self.tell(&format!("  {choice}"));
        }
        self.tell(&format!("{question} [{current}]"));
        let answer = self.answers.pop_front().ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(if answer.is_empty() { current } else { answer }.to_owned())
    }

    fn ask_secret(&mut self, question: &str) -> io::Result<String> {
        self.ask(question, "", &[])
    }

    fn confirm(&mut self, question: &str) -> io::Result<Option<bool>> {
        self.tell(question);
        Ok(self.confirms)
    }

    fn tell(&mut self, line: &str) {
        self.heard.push_str(line);
        self.heard.push('\n');
    }
}

/// Has models, or says why not.
struct Fake {
    lists: Result<Vec<&'static str>, ModelError>,
    proves: Result<(), ModelError>,
}

impl Models for Fake {
    fn list(&self, _: &Target) -> Result<Vec<String>, ModelError> {
        self.lists.clone().map(|models| models.into_iter().map(str::to_owned).collect())
    }

    fn pull(&self, _: &Target) -> Result<(), PullError> {
        Ok(())
    }

    fn prove(&self, target: &Target) -> Result<Proof, ModelError> {
        let first_token = Duration::from_millis(420);
        self.proves.clone().map(|()| Proof { by: target.to_string(), first_token })
    }
}

fn well() -> Fake {
    Fake { lists: Ok(vec!["gpt-4o-mini", "gpt-4o"]), proves: Ok(()) }
}

fn failing(error: ModelError) -> Fake {
    Fake { proves: Err(error), ..well() }
}

fn cut() -> ModelError {
    ModelError::Cut { address: "a".to_owned() }
}

/// A change of `llm`: how it ended, what was heard, and the file after it.
fn change(
    person: Person,
    models: &Fake,
    given: Option<&str>,
) -> (Result<(), String>, String, AgentConfig) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let mut file = ConfigFile::open(&path, CONFIG_INITIAL).unwrap();
    let mut asker = person;
    let key = Key::find("llm").unwrap();
    let mut change = Change { file: &mut file, asker: &mut asker, models, sets: Vec::new() };
    let ended = change.run(key, given).map_err(|error| format!("{:#}", anyhow::Error::new(error)));
    let file: ConfigFile<AgentConfig> = ConfigFile::open(&path, CONFIG_INITIAL).unwrap();
    (ended, asker.heard, file.settings().clone())
}

fn answers<const N: usize>(answers: [&'static str; N]) -> Person {
    Person { answers: answers.into(), ..Person::default() }
}

#[test]
fn a_server_of_ones_own_is_named_by_its_address() {
    let local = "http://127.0.0.1:8080/v1 (llama.cpp)";
    let (ended, heard, config) = change(answers(["openai", local, ""]), &well(), None);
    ended.unwrap();
    insta::assert_snapshot!(heard, @r"
      ollama
      openai
      anthropic
      gemini
      offline
    provider [ollama]
      https://api.openai.com/v1
      http://127.0.0.1:8080/v1 (llama.cpp)
      http://127.0.0.1:1234/v1 (LM Studio)
      http://127.0.0.1:8000/v1 (vLLM)
      https://openrouter.ai/api/v1 (OpenRouter)
    base URL [https://api.openai.com/v1]
      gpt-4o-mini
      gpt-4o
    model [gpt-4o-mini]
    asking openai:gpt-4o-mini@http://127.0.0.1:8080/v1 ...
    openai:gpt-4o-mini@http://127.0.0.1:8080/v1 answers, the first token after 0.42 s
    ");
    let chosen = "openai:gpt-4o-mini@http://127.0.0.1:8080/v1";
    assert_eq!(config.llm.target().to_string(), chosen);
}

#[test]
fn a_missing_key_ends_it_before_a_model_is_asked_for() {
    let why = "openai needs a key; put OPENAI_API_KEY=... into .env or the environment";
    let models = Fake { lists: Err(ModelError::Settings(why.to_owned())), ..well() };
    let (ended, heard, config) = change(answers(["openai", ""]), &models, None);
    assert_eq!(ended.unwrap_err(), format!("nothing was changed: {why}"));
    assert!(!heard.contains("model ["), "{heard}");
    assert_eq!(config, AgentConfig::default());
}

#[test]
fn a_model_that_does_not_answer_is_kept_only_if_a_person_wants_it() {
    for (confirms, is_kept) in [(Some(true), true), (Some(false), false), (None, false)] {
        let person = Person { confirms, ..answers(["", "qwen"]) };
        let (ended, heard, config) = change(person, &failing(cut()), None);
        assert_eq!(ended.is_ok(), is_kept);
        assert!(heard.ends_with(&format!("{}. Keep the setting all the same?\n", cut())));
        assert_eq!(config.llm.model == "qwen", is_kept);
    }
}

#[test]
fn a_target_is_taken_without_a_question_once_it_answers() {
    let chosen = |given: &str, models: &Fake| {
        let (ended, heard, config) = change(answers([]), models, Some(given));
        assert!(!heard.contains('['), "{heard}");
        ended.map(|()| config.llm.target().to_string())
    };
    assert_eq!(chosen("qwen2.5:3b", &well()).unwrap(), "ollama:qwen2.5:3b");
    let local = "openai:qwen@http://127.0.0.1:8080/v1";
    assert_eq!(chosen(local, &well()).unwrap(), local);
    assert_eq!(chosen("offline", &failing(cut())).unwrap(), "offline");
    let told = chosen("qwen", &failing(cut())).unwrap_err();
    assert_eq!(told, format!("nothing was changed: {}", cut()));
    assert!(chosen("openai", &well()).unwrap_err().contains("\"openai\" names no model"));
    let told = chosen("openai:a@http://user:name@a/v1", &well()).unwrap_err();
    assert!(told.contains("belongs an address such as http://127.0.0.1:8080/v1"), "{told}");
}

#[test]
fn another_provider_takes_no_address_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.json");
    let initial = r#"{"llm": {"provider": "openai", "model": "a", "base_url": "http://a/v1"}}"#;
    let mut file = ConfigFile::open(&path, initial).unwrap();
    let mut asker = answers(["ollama", "qwen"]);
    let mut change =
        Change { file: &mut file, asker: &mut asker, models: &well(), sets: Vec::new() };
    change.run(&KEYS[0], None).unwrap();
    assert_eq!(file.settings().llm.target().to_string(), "ollama:qwen");
}
