//! A persona's file: an agent file of AIStorm.

use cadence::Cadence;
use protocol::{NameError, SetName};
use settings::{BaseUrl, ProviderName, Target};
use storm::{AgentFile, AgentFileError};

use super::Persona;

/// Why a file is no persona's.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PersonaFileError {
    /// It has no tag, no type or no model.
    #[error(transparent)]
    File(#[from] AgentFileError),
    /// No provider has this name.
    #[error("its type is {0:?}; a type is one of ollama, openai, anthropic, gemini, offline")]
    Provider(String),
    /// Its address is none.
    #[error("its url can't be used; it is {0}")]
    Url(&'static str),
    /// Its temperature is none.
    #[error("its temperature is {0:?}; a temperature is a number from 0 to 2, such as 0.7")]
    Temperature(String),
    /// The name of a set breaks the grammar.
    #[error("its sets can't be read: {0}")]
    Sets(#[from] NameError),
    /// Its cadence is none.
    #[error("its cadence is {0:?}; a cadence is reply or drive")]
    Cadence(String),
}

/// The properties of a persona's file. Others are kept and mean nothing here.
pub(super) const PROPERTIES: [&str; 7] =
    ["type", "service", "model", "url", "temperature", "sets", "cadence"];

impl Persona {
    /// Reads the file of the persona `name`.
    ///
    /// # Errors
    /// [`PersonaFileError`] says what is missing or wrong.
    pub fn read(name: &str, text: &str) -> Result<Self, PersonaFileError> {
        Self::of(name, &AgentFile::read(text)?)
    }

    /// The persona `name` of a file that was read.
    ///
    /// # Errors
    /// As for [`Persona::read`], apart from what was read already.
    pub fn of(name: &str, file: &AgentFile) -> Result<Self, PersonaFileError> {
        let property = |name: &str| file.properties.get(name).map(str::trim);
        Ok(Self {
            name: name.to_owned(),
            target: target(file.service(), file.model(), property("url"))?,
            temperature: property("temperature").map(temperature).transpose()?,
            sets: property("sets").map(sets).transpose()?,
            cadence: property("cadence").map(cadence).transpose()?.unwrap_or_default(),
            soul: file.prompt.clone(),
        })
    }
}

fn target(service: &str, model: &str, url: Option<&str>) -> Result<Target, PersonaFileError> {
    let named = |name: &ProviderName| name.as_str().eq_ignore_ascii_case(service);
    let provider = ProviderName::ALL.into_iter().find(named);
    let provider = provider.ok_or_else(|| PersonaFileError::Provider(service.to_owned()))?;
    if provider == ProviderName::Offline {
        return Ok(Target::OFFLINE);
    }
    // AIStorm's files have no place for an address, so it may also stand behind the model.
    let (model, behind) = match model.split_once('@') {
        Some((model, url)) => (model, Some(url)),
        None => (model, None),
    };
    let base_url = url.or(behind).map(|url| BaseUrl::try_from(url.to_owned())).transpose();
    let base_url = base_url.map_err(PersonaFileError::Url)?.map(String::from);
    Ok(Target { provider, model: model.to_owned(), base_url })
}

fn temperature(text: &str) -> Result<f64, PersonaFileError> {
    let number = text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
    number.ok_or_else(|| PersonaFileError::Temperature(text.to_owned()))
}

fn cadence(text: &str) -> Result<Cadence, PersonaFileError> {
    match text.to_ascii_lowercase().as_str() {
        "reply" => Ok(Cadence::Reply),
        "drive" => Ok(Cadence::Drive),
        _ => Err(PersonaFileError::Cadence(text.to_owned())),
    }
}

fn sets(text: &str) -> Result<std::collections::BTreeSet<SetName>, NameError> {
    text.split([',', ' ']).filter(|name| !name.is_empty()).map(SetName::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Persona::read("x", text).unwrap_err().to_string()
    }

    #[test]
    fn an_agent_file_is_a_persona() {
        let text = "<aistorm type=\"OpenAI\" model=\"gpt-4\" />\n\nYou are a critic.\n";
        let persona = Persona::read("Critic", text).unwrap();
        assert_eq!((persona.name.as_str(), persona.soul.as_str()), ("Critic", "You are a critic."));
        assert_eq!(persona.target.to_string(), "openai:gpt-4");
        assert_eq!((persona.temperature, persona.sets), (None, None));
        let later = "<aistorm type=\"agent\" service=\"ollama\" model=\"qwen3:4b\" url=\"http://127.0.0.1:9/\" \
                     temperature=\"0.7\" sets=\"library, web\" />\nHi.";
        let behind = "<aistorm type=\"OpenAI\" model=\"m@http://127.0.0.1:9/v1\" />\nx";
        let behind = Persona::read("z", behind).unwrap().target.to_string();
        assert_eq!(behind, "openai:m@http://127.0.0.1:9/v1");
        let persona = Persona::read("y", later).unwrap();
        assert!(persona.target.to_string().starts_with("ollama:qwen3:4b@http://127.0.0.1:9"));
        assert_eq!(persona.temperature, Some(0.7));
        assert_eq!(persona.sets.unwrap().len(), 2);
        assert_eq!(persona.cadence, Cadence::Reply);
        let works = "<aistorm type=\"ollama\" model=\"m\" cadence=\"Drive\" />\nx";
        assert_eq!(Persona::read("w", works).unwrap().cadence, Cadence::Drive);
    }

    #[test]
    fn each_fault_of_a_file_has_words_of_its_own() {
        let told = [
            error("You are a critic."),
            error("<aistorm model=\"gpt-4\" />\nx"),
            error("<aistorm type=\"OpenAI\" />\nx"),
            error("<aistorm type=\"Claude\" model=\"x\" />\nx"),
            error("<aistorm type=\"OpenAI\" model=\"x\" url=\"ftp://x\" />\nx"),
            error("<aistorm type=\"OpenAI\" model=\"x\" temperature=\"hot\" />\nx"),
            error("<aistorm type=\"OpenAI\" model=\"x\" sets=\"A!\" />\nx"),
            error("<aistorm type=\"OpenAI\" model=\"x\" cadence=\"watch\" />\nx"),
        ];
        insta::assert_snapshot!(told.join("\n"));
        for (at, one) in told.iter().enumerate() {
            assert!(!told[..at].contains(one), "{one}");
        }
    }
}
