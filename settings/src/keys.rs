//! Changing single keys of agent/config.json in a conversation.

use std::io;

use home::{ConfigError, ConfigFile, nearest};
use llm::PullError;
use model::{ModelError, Proof};
use protocol::SetName;
use serde_json::{Value, json};

use super::{AgentConfig, Target, TargetError};

/// A key that can be set.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// The keys that `start_agent config` knows.
pub const KEYS: [Key; 25] = [
    Key { name: "llm", about: "the language model: who serves it, and which one" },
    Key { name: "fallback", about: "who is asked in turn when that one can't answer" },
    Key {
        name: "telegram",
        about: "talk with the agent over Telegram: the bot, and who its owner is",
    },
    Key {
        name: "telegram.allow",
        about: "who else may talk there, by ids with commas between, or none",
    },
    Key {
        name: "telegram.default_mode",
        about: "how strangers are treated there: business, silent, off, or none for what bot_mode says",
    },
    Key {
        name: "bot_mode",
        about: "whom the bot is for: personal refuses strangers, business answers them as customers",
    },
    Key { name: "customers.tokens", about: "how many tokens a day one customer may cost" },
    Key { name: "customers.all_tokens", about: "how many tokens a day all of them may cost" },
    Key { name: "http", about: "where programs and your browser reach the agent, or off" },
    Key {
        name: "http.sites",
        about: "further addresses of the page, such as a proxy's, with commas between, or none",
    },
    Key {
        name: "http.bridges",
        about: "programs that bring other people in, by names with commas between, or none",
    },
    Key { name: "timeout", about: "seconds that a message may be old and a reply is waited for" },
    Key {
        name: "sets",
        about: "the sets of actions that are offered, with commas between, or none",
    },
    Key {
        name: "apart",
        about: "the actions whose results are read apart from the conversation, with commas between, or none",
    },
    Key { name: "max_steps", about: "how often the model may act within one turn" },
    Key {
        name: "clock.zone",
        about: "the time zone, such as Europe/Berlin, or none for this machine's",
    },
    Key {
        name: "clock.quiet",
        about: "when watches tell you nothing, such as 22:00-07:00, or none",
    },
    Key { name: "clock.wakes", about: "how often a day the clock may wake a model" },
    Key { name: "clock.tokens", about: "how many tokens a day models may take for the clock" },
    Key { name: "embed", about: "the model that finds papers by what they mean, or off" },
    Key { name: "memory.owner", about: "how many days your conversations are kept" },
    Key { name: "memory.guests", about: "how many days the conversations of guests are kept" },
    Key { name: "memory.logs", about: "how many days the logs of days are kept" },
    Key {
        name: "workbench.steps",
        about: "how many steps a task at the workbench may take before you are asked",
    },
    Key {
        name: "workbench.tokens",
        about: "how many tokens it may read and write before you are asked",
    },
];

/// An empty list, or no value, as people write it.
pub(super) const NONE: &str = "none";

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
    /// No action comes in such a set.
    #[error("there is no set {given}{}; the sets are {}",
        nearest(given, known.iter().map(SetName::as_str)).map(|name| format!(" (did you mean {name}?)")).unwrap_or_default(),
        listed(known.iter().map(ToString::to_string)))]
    NoSet {
        /// What was asked for.
        given: String,
        /// Those that there are.
        known: Vec<SetName>,
    },
    /// It stands with the router, which keeps the papers.
    #[error("the papers are with the router: there, `{0}` sets it")]
    Routers(String),
    /// It names no model.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The model does not answer.
    #[error("nothing was changed")]
    Model(#[from] ModelError),
    /// Ollama does not fetch the model.
    #[error("nothing was changed")]
    Pull(#[from] PullError),
    /// A person does not want it after all.
    #[error("nothing was changed")]
    NotKept,
    /// No model was named, and none is there to choose from.
    #[error("no model was named, so nothing was changed")]
    NoModel,
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

    /// The same where nothing but one of `choices` is right. What else is typed is given back as it is.
    ///
    /// # Errors
    /// When nobody answers.
    fn ask_one_of(
        &mut self,
        question: &str,
        current: &str,
        choices: &[String],
    ) -> io::Result<String> {
        self.ask(question, current, choices)
    }

    /// Asks which one of `choices` it is, and gives its place; an empty answer means the one at `current`.
    ///
    /// # Errors
    /// When nobody answers, or something else.
    fn choose(&mut self, question: &str, choices: &[String], current: usize) -> io::Result<usize> {
        let shown = choices.get(current).map_or("", String::as_str);
        let answer = self.ask(question, shown, choices)?;
        choices.iter().position(|choice| *choice == answer).ok_or_else(|| {
            let why = format!("{answer:?} is none of the choices");
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })
    }

    /// Asks for something that nobody should see; an empty answer stays one.
    ///
    /// # Errors
    /// When nobody answers.
    fn ask_secret(&mut self, question: &str) -> io::Result<String>;

    /// Asks for a yes; `None` when there is no person who could say it.
    ///
    /// # Errors
    /// When nobody answers.
    fn confirm(&mut self, question: &str) -> io::Result<Option<bool>>;

    /// Says something.
    fn tell(&mut self, line: &str);
}

/// What can be found out of models before one is chosen.
pub trait Models {
    /// The models that the server of `target` has; which one `target` names does not matter.
    ///
    /// # Errors
    /// Why it does not say; [`ModelError::Settings`] when it can't be asked at all.
    fn list(&self, target: &Target) -> Result<Vec<String>, ModelError>;

    /// Has `target` answer once.
    ///
    /// # Errors
    /// What is wrong with it, and what would be right.
    fn prove(&self, target: &Target) -> Result<Proof, ModelError>;

    /// Has the Ollama of `target` fetch its model.
    ///
    /// # Errors
    /// Why it is not there.
    fn pull(&self, target: &Target) -> Result<(), PullError>;
}

/// What a change of a key needs.
pub struct Change<'a> {
    /// agent/config.json.
    pub file: &'a mut ConfigFile<AgentConfig>,
    /// Whoever answers.
    pub asker: &'a mut dyn Asker,
    /// The models.
    pub models: &'a dyn Models,
    /// The sets of actions that there are; none where no router has said yet what it can run.
    pub sets: Vec<SetName>,
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

    /// What `config` has for it, as it is typed; nothing for what stands elsewhere.
    #[must_use]
    pub fn value(&self, config: &AgentConfig) -> Option<String> {
        let or_off = |value: Option<String>| value.unwrap_or_else(|| "off".to_owned());
        let place = match self.name {
            "llm" => return Some(config.llm.target().to_string()),
            "telegram" => {
                let owner = config.telegram.owner;
                return Some(or_off(owner.map(|id| format!("its owner has the id {id}"))));
            }
            "http" => {
                let listen = config.http.listen;
                return Some(or_off(listen.map(|listen| listen.address().to_string())));
            }
            "fallback" => return Some(listed(config.llm.fallback.iter().map(Target::to_string))),
            name => name,
        };
        // The file has them in these places.
        let whole = serde_json::to_value(config).ok()?;
        whole.pointer(&format!("/{}", place.replace('.', "/"))).map(typed)
    }
}

impl Change<'_> {
    /// Sets `key` to `given`, or asks for its value.
    ///
    /// # Errors
    /// [`KeyError`]; the file is unchanged then.
    pub fn run(&mut self, key: &Key, given: Option<&str>) -> Result<(), KeyError> {
        match (key.name, given) {
            ("llm", Some(given)) => return self.llm_given(given),
            ("llm", None) => return self.llm(),
            ("fallback", given) => return self.fallback(given),
            ("sets", given) => return self.sets(given),
            ("apart", given) => return self.apart(given),
            ("telegram.allow", given) => return self.telegram_allow(given),
            ("telegram.default_mode", given) => return self.telegram_default_mode(given),
            ("http.sites", given) => return self.http_sites(given),
            ("http.bridges", given) => return self.http_bridges(given),
            ("embed", _) => {
                return Err(KeyError::Routers(home::router_command("library embed MODEL")));
            }
            ("clock.zone", given) => return self.clock_zone(given),
            ("clock.quiet", given) => return self.clock_quiet(given),
            _ => {}
        }
        let answer = match given {
            Some(given) => given.to_owned(),
            None => {
                let current = key.value(self.file.settings()).unwrap_or_default();
                self.asker.ask(key.name, &current, &[])?
            }
        };
        Ok(self.file.set(key.name, number_or_text(&answer))?)
    }

    /// Sets `key`, which may be without a value, to `given`, or asks for it.
    pub(super) fn or_none(
        &mut self,
        key: &str,
        current: Option<String>,
        given: Option<&str>,
    ) -> Result<(), KeyError> {
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask(key, current.as_deref().unwrap_or(NONE), &[])?,
        };
        let value = if answer == NONE { Value::Null } else { json!(answer) };
        Ok(self.file.set(key, value)?)
    }
}

/// `value` as a person types it.
fn typed(value: &Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => listed(values.iter().map(typed)),
        other => other.to_string(),
    }
}

fn listed(values: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = values.collect();
    if all.is_empty() { NONE.to_owned() } else { all.join(", ") }
}

/// A number stays one, so that the file holds what its type wants; anything else is refused by that type.
fn number_or_text(answer: &str) -> Value {
    answer.parse::<i64>().map_or_else(|_| json!(answer), |number| json!(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_the_value_that_is_in_force() {
        let config = AgentConfig::default();
        for key in KEYS {
            assert_eq!(key.value(&config).is_none(), key.name == "embed", "{}", key.name);
        }
        let value = |name: &str| Key::find(name).unwrap().value(&config).unwrap();
        assert_eq!(
            ["llm", "fallback", "http", "timeout", "sets", "clock.zone", "bot_mode"].map(value),
            ["ollama:llama3.1:8B", "offline", "off", "10", "clock", "none", "personal"]
        );
    }
}
