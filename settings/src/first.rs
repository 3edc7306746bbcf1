//! The first choice of a model: what answers on this machine is found, and what is missing is fetched.

use ::llm::{ProviderName, Target};
use model::ModelError;

use super::choice::local;
use super::keys::{Change, KeyError};
use super::llm;

/// What can be chosen beside the models that were found.
const FETCH: &str = "fetch a model with Ollama";
const ELSEWHERE: &str = "another server, or a provider";
const NOBODY: &str = "no model: sentences like those of /actions work";

impl Change<'_> {
    /// Asks which model thinks, among those that answer on this machine and others. One that is kept is asked once, and may say
    /// nothing: why is what is given back.
    ///
    /// # Errors
    /// [`KeyError`]; the file is unchanged then.
    pub fn first_model(&mut self) -> Result<Option<ModelError>, KeyError> {
        loop {
            let (found, has_ollama) = self.found();
            let set = self.file.settings().llm.target();
            let keep = format!("as it is set: {set}");
            let mut choices: Vec<String> = found.iter().map(ToString::to_string).collect();
            choices.extend(has_ollama.then(|| FETCH.to_owned()));
            choices.extend([ELSEWHERE, NOBODY].map(str::to_owned));
            if !found.contains(&set) && set != Target::OFFLINE {
                choices.push(keep.clone());
            }
            let is_set = |choice: &String| *choice == set.to_string() || *choice == keep;
            // A model that answers comes before one that is set and does not.
            let current = match found.is_empty() {
                false => choices.iter().position(|choice| *choice == set.to_string()).unwrap_or(0),
                true if has_ollama => 0,
                true => choices.iter().position(is_set).unwrap_or(choices.len() - 1),
            };
            let chosen = self.asker.choose("Which model should think?", &choices, current)?;
            let tried = match choices[chosen].as_str() {
                FETCH => self.fetched(),
                ELSEWHERE => self.llm(),
                NOBODY => return Ok(llm::set(self.file, &Target::OFFLINE).map(|()| None)?),
                choice if choice == keep => return Ok(self.models.prove(&set).err()),
                _ => self.taken(&found[chosen]),
            };
            match tried {
                Err(error @ (KeyError::Model(_) | KeyError::Pull(_) | KeyError::NoModel)) => {
                    self.asker.tell(&format!("{:#}", anyhow::Error::new(error)));
                }
                done => return done.map(|()| None),
            }
        }
    }

    /// Takes the model that `given` names; with `fetch`, Ollama fetches it when it is missing.
    ///
    /// # Errors
    /// [`KeyError`]; the file is unchanged then.
    pub fn model_given(&mut self, given: &str, fetch: bool) -> Result<(), KeyError> {
        let target = Target::meant(given, &self.file.settings().llm.target())?;
        let fetch = fetch && target.provider == ProviderName::Ollama;
        match self.llm_given(given) {
            Err(KeyError::Model(ModelError::UnknownModel { .. })) if fetch => {
                self.models.pull(&target)?;
                self.llm_given(given)
            }
            done => done,
        }
    }

    /// The models that answer on this machine, and whether Ollama does.
    fn found(&mut self) -> (Vec<Target>, bool) {
        self.asker.tell("Looking for models on this machine ...");
        let ollama =
            Target { provider: ProviderName::Ollama, model: String::new(), base_url: None };
        let mut found = Vec::new();
        let mut has_ollama = false;
        for place in std::iter::once(ollama).chain(local()) {
            let Ok(models) = self.models.list(&place) else { continue };
            has_ollama |= place.provider == ProviderName::Ollama;
            found.extend(models.into_iter().map(|model| Target { model, ..place.clone() }));
        }
        let told = match (found.is_empty(), has_ollama) {
            (false, _) if found.len() == 1 => "One is there.".to_owned(),
            (false, _) => format!("{} are there.", found.len()),
            (true, true) => "Ollama answers, and has no model yet.".to_owned(),
            (true, false) => "None answers. Ollama serves models on your own machine (https://ollama.com); start it with \
                 `ollama serve`, and it is found here."
                .to_owned(),
        };
        self.asker.tell(&told);
        (found, has_ollama)
    }

    fn fetched(&mut self) -> Result<(), KeyError> {
        let known = self.file.settings().llm.model.clone();
        self.asker.tell(
            "https://ollama.com/library lists what there is; a model of 8B takes about 5 GB.",
        );
        let name = self.asker.ask("Model to fetch", &known, &[])?;
        if name.is_empty() {
            return Err(KeyError::NoModel);
        }
        let target = Target { provider: ProviderName::Ollama, model: name, base_url: None };
        self.models.pull(&target)?;
        self.taken(&target)
    }

    fn taken(&mut self, target: &Target) -> Result<(), KeyError> {
        self.prove(target)?;
        Ok(llm::set(self.file, target)?)
    }
}
