//! Changing single keys of agent/config.json in a conversation.

use std::io::{self, BufRead, IsTerminal, Write};

use home::{ConfigError, ConfigFile, nearest};
use serde_json::{Value, json};

use super::{AgentConfig, ProviderName};

/// A key that can be set.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// The keys that `start_agent config` knows.
pub const KEYS: [Key; 3] = [
    Key { name: "timeout", about: "seconds that a message may be old and a reply is waited for" },
    Key { name: "llm", about: "the language model: who serves it, and which one" },
    Key { name: "max_steps", about: "how often the model may act within one turn" },
];

/// Why a key was not set.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// There is no such key.
    #[error("there is no key {given:?}{}; the keys are {}",
        nearest.map(|name| format!(" (did you mean {name}?)")).unwrap_or_default(), names())]
    Unknown {
        /// What was asked for.
        given: String,
        /// The key that was probably meant.
        nearest: Option<&'static str>,
    },
    /// The value does not fit, or the file can't be written.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nobody answers.
    #[error("no answer could be read")]
    Answer(#[from] io::Error),
}

fn names() -> String {
    KEYS.map(|key| key.name).join(", ")
}

/// Whoever answers questions.
pub trait Asker {
    /// Asks `question`; an empty answer means `current`. `choices`, if there are any, are what is there to
    /// choose from; other answers are possible all the same.
    ///
    /// # Errors
    /// When nobody answers.
    fn ask(&mut self, question: &str, current: &str, choices: &[String]) -> io::Result<String>;
}

/// The person at the terminal, or the lines of a pipe.
#[derive(Debug)]
pub struct Terminal;

impl Asker for Terminal {
    fn ask(&mut self, question: &str, current: &str, choices: &[String]) -> io::Result<String> {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            let choices = choices.to_vec();
            let suggest = move |typed: &str| -> Result<Vec<String>, inquire::CustomUserError> {
                Ok(choices.iter().filter(|choice| choice.contains(typed)).cloned().collect())
            };
            return inquire::Text::new(question)
                .with_default(current)
                .with_autocomplete(suggest)
                .prompt()
                .map_err(io::Error::other);
        }
        for choice in choices {
            println!("  {choice}");
        }
        print!("{question} [{current}]: ");
        io::stdout().flush()?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        println!();
        let answer = line.trim();
        Ok(if answer.is_empty() { current.to_owned() } else { answer.to_owned() })
    }
}

impl Key {
    /// The key called `name`.
    ///
    /// # Errors
    /// [`KeyError::Unknown`] with the nearest one.
    pub fn find(name: &str) -> Result<&'static Self, KeyError> {
        KEYS.iter().find(|key| key.name == name).ok_or_else(|| KeyError::Unknown {
            given: name.to_owned(),
            nearest: nearest(name, KEYS.iter().map(|key| key.name)),
        })
    }

    /// Asks for this key's value and sets it. `models` lists what a provider has, or says why it can't.
    ///
    /// # Errors
    /// [`KeyError`]; the file is unchanged then.
    pub fn change(
        &self,
        file: &mut ConfigFile<AgentConfig>,
        asker: &mut dyn Asker,
        models: &dyn Fn(ProviderName) -> Result<Vec<String>, String>,
    ) -> Result<(), KeyError> {
        let current = file.settings().clone();
        match self.name {
            "llm" => change_llm(file, &current, asker, models),
            name => {
                let shown = match name {
                    "timeout" => json!(current.timeout),
                    _ => json!(current.max_steps),
                };
                let answer = asker.ask(name, &shown.to_string(), &[])?;
                Ok(file.set(name, number_or_text(&answer))?)
            }
        }
    }
}

fn change_llm(
    file: &mut ConfigFile<AgentConfig>,
    current: &AgentConfig,
    asker: &mut dyn Asker,
    models: &dyn Fn(ProviderName) -> Result<Vec<String>, String>,
) -> Result<(), KeyError> {
    let known = json!(current.llm.provider);
    let providers = ["ollama".to_owned(), "offline".to_owned()];
    let named = json!(asker.ask("provider", known.as_str().unwrap_or_default(), &providers)?);
    // One that does not exist is refused by the file, which knows how to say it.
    let Ok(provider) = serde_json::from_value(named.clone()) else {
        return Ok(file.set("llm.provider", named)?);
    };
    if provider == ProviderName::Offline {
        return Ok(file.set("llm.provider", named)?);
    }
    let choices = models(provider).unwrap_or_else(|problem| {
        println!("the models can't be listed: {problem}");
        Vec::new()
    });
    let model = asker.ask("model", &current.llm.model, &choices)?;
    if !choices.is_empty() && !choices.contains(&model) {
        println!("{model} is not there yet; get it with: ollama pull {model}");
    }
    file.set("llm.provider", named)?;
    Ok(file.set("llm.model", json!(model))?)
}

/// A number stays one, so that the file holds what its type wants; anything else is refused by that type.
fn number_or_text(answer: &str) -> Value {
    answer.parse::<i64>().map_or_else(|_| json!(answer), |number| json!(number))
}
