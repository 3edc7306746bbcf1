//! The personas with the models that they think with.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use model::{Model, Switch};
use settings::Target;

use super::folder::Folder;
use super::reach::reached;
use super::roster::DEFAULT;
use super::{Persona, Roster};

/// The number of models that are kept for personas.
const CHAINS: usize = 64;

/// A persona that can't be asked: what the owner hears.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersonaError {
    /// There is none of this name.
    #[error("there is no persona {0}{1} (/agents lists them)")]
    Unknown(String, String),
    /// Its words would go to a service that the owner has not set up.
    #[error("{0} was not asked: {1}")]
    NotSetUp(String, String),
}

/// Who can think in a workspace, and with which model. Each model has a chain of its own; whether a server is up is known to
/// all chains together.
pub struct Cast {
    folder: Folder<Roster>,
    chains: Mutex<HashMap<Target, Arc<dyn Model>>>,
}

impl Cast {
    /// The personas whose files stand in `folder`.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder: Folder::new(folder), chains: Mutex::default() }
    }

    /// The personas as their files have them now.
    #[must_use]
    pub fn roster(&self) -> Arc<Roster> {
        self.folder.now()
    }

    /// The persona called `name`; `None` for the default one.
    ///
    /// # Errors
    /// [`PersonaError::Unknown`] with the nearest name.
    pub fn find(&self, name: &str) -> Result<Option<Arc<Persona>>, PersonaError> {
        if name.eq_ignore_ascii_case(DEFAULT) {
            return Ok(None);
        }
        let roster = self.roster();
        let unknown = || {
            let near = home::nearest(name, roster.names().chain([DEFAULT]));
            let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            PersonaError::Unknown(name.to_owned(), hint)
        };
        roster.find(name).cloned().map(Some).ok_or_else(unknown)
    }

    /// The model that `persona` thinks with, or that of `models` for the default one.
    ///
    /// # Errors
    /// [`PersonaError::NotSetUp`]; nothing was sent anywhere then.
    pub fn model(
        &self,
        persona: Option<&Persona>,
        models: &Arc<Switch>,
    ) -> Result<Arc<dyn Model>, PersonaError> {
        let Some(persona) = persona else { return Ok(Arc::<Switch>::clone(models)) };
        let target = reached(&persona.target, models.maker())
            .map_err(|why| PersonaError::NotSetUp(persona.name.clone(), why.to_string()))?;
        // Poisoned, the map is still whole.
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        if chains.len() >= CHAINS {
            chains.clear();
        }
        let chain =
            chains.entry(target.clone()).or_insert_with(|| Arc::new(models.maker().chain(&target)));
        Ok(Arc::clone(chain))
    }
}

#[cfg(test)]
mod tests {
    use cadence::Cadence;

    use super::*;
    use model::Offline;

    fn persona(target: &str) -> Persona {
        let target = target.parse().unwrap();
        let (name, soul) = ("p".to_owned(), "You help.".to_owned());
        Persona { name, soul, target, temperature: None, sets: None, cadence: Cadence::Reply }
    }

    #[test]
    fn each_model_has_one_chain() {
        let folder = tempfile::tempdir().unwrap();
        let cast = Cast::new(folder.path().to_owned());
        let models = Arc::new(Switch::of(Arc::new(Offline::chosen())));
        let model = |persona: Option<&Persona>| cast.model(persona, &models);
        assert_eq!(model(None).unwrap().name(), "offline");
        let local = persona("ollama:m@http://127.0.0.1:9");
        let (one, other) = (model(Some(&local)).unwrap(), model(Some(&local)).unwrap());
        assert!(Arc::ptr_eq(&one, &other) && one.name().starts_with("m at"), "{}", one.name());
        let outside = model(Some(&persona("openai:gpt-4"))).err();
        assert!(matches!(outside, Some(PersonaError::NotSetUp(..))), "{outside:?}");
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("coder.md"),
            "<aistorm type=\"ollama\" model=\"m\" />\nx",
        )
        .unwrap();
        let cast = Cast::new(folder.path().to_owned());
        assert!(cast.find("Coder").unwrap().is_some() && cast.find("default").unwrap().is_none());
        let error = cast.find("codr").unwrap_err().to_string();
        assert_eq!(error, "there is no persona codr; did you mean coder? (/agents lists them)");
    }
}
