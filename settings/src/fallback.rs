//! `config fallback`: who is asked in turn when the model that thinks can't answer.

use model::ModelError;

use super::keys::{Change, KeyError};
use super::{ProviderName, Target, llm};

/// An empty chain, as people write it.
const NONE: &str = "none";

impl Change<'_> {
    /// Takes the chain from `given`, or asks for it. One of them that does not answer now may do so later, so that is
    /// said and no obstacle.
    pub(super) fn fallback(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let current = &self.file.settings().llm.fallback;
        let current: Vec<String> = current.iter().map(ToString::to_string).collect();
        let answer = match given {
            Some(given) => given.to_owned(),
            None => {
                self.asker.tell(
                    "Name them in their order with commas between, such as \
                     openai:gpt-4o-mini, offline; or say none.",
                );
                let current = if current.is_empty() { NONE.to_owned() } else { current.join(", ") };
                self.asker.ask("fallback", &current, &[])?
            }
        };
        let chain = read(&answer)?;
        for target in chain.iter().filter(|target| target.provider != ProviderName::Offline) {
            match self.prove(target) {
                Err(error @ (ModelError::Settings(_) | ModelError::WrongKey { .. })) => {
                    return Err(error.into());
                }
                Err(error) => self.asker.tell(&error.to_string()),
                Ok(()) => {}
            }
        }
        Ok(llm::set_fallback(self.file, &chain)?)
    }
}

fn read(answer: &str) -> Result<Vec<Target>, KeyError> {
    let names = answer.split([',', ' ']).filter(|name| !name.is_empty());
    match answer.trim() {
        NONE => Ok(Vec::new()),
        _ => names.map(|name| Ok(name.parse()?)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_read_with_commas_or_spaces() {
        let read = |text: &str| {
            let chain = read(text).map_err(|error| error.to_string())?;
            Ok::<_, String>(chain.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(read("none").unwrap(), [""; 0]);
        let both = ["openai:gpt-4o-mini", "offline"];
        assert_eq!(read("openai:gpt-4o-mini,offline").unwrap(), both);
        assert_eq!(read(" openai:gpt-4o-mini  offline ").unwrap(), both);
        assert!(read("openai, offline").unwrap_err().contains("\"openai\" names no model; write"));
    }
}
