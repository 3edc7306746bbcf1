//! What the pages of storms need of the agent.

use std::sync::Arc;

use axum::Router;
use conversation::workspace::Workspace;
use model::Switch;
use persona::{Persona, PersonaFileError, Unreached, reached};
use protocol::SessionKey;
use settings::{ProviderName, Target};
use storm::Agent;
use storm_pages::{Models, Service, Storms, Told};
use storm_runner::{Shelf, Speaks};

use super::ask::Minds;
use super::casting::{beginners, written};
use super::{FOLDER, PERSONAS, TOKENS};

/// The pages of the storms in `workspace`, whose agents think with what `model` is made with.
pub fn pages(workspace: &Workspace, model: &Arc<Switch>) -> Router {
    let folder = workspace.folder();
    let models = Arc::new(SetUp { model: Arc::clone(model) });
    Storms::new(Shelf::at(folder.join(FOLDER)), folder.join(PERSONAS), models, TOKENS).routes()
}

/// What is wrong with a file, as the pages' words have it.
fn faulty(error: &PersonaFileError) -> Told {
    match error {
        PersonaFileError::File(why) => why.into(),
        PersonaFileError::Provider(name) => {
            Told::new("error.provider", error).with("name", format_args!("{name:?}"))
        }
        PersonaFileError::Url(_) => Told::new("error.url", error),
        PersonaFileError::Temperature(text) => {
            Told::new("error.temperature", error).with("text", format_args!("{text:?}"))
        }
        PersonaFileError::Sets(why) => Told::new("error.sets", error).with("why", why),
        PersonaFileError::Cadence(text) => {
            Told::new("error.cadence", error).with("text", format_args!("{text:?}"))
        }
    }
}

/// Why a model is not asked, as the pages' words have it.
fn unreached(why: &Unreached) -> Told {
    match why {
        Unreached::Key { provider, variable } => {
            Told::new("error.key", why).with("name", written(*provider)).with("variable", variable)
        }
        Unreached::Address { url, mend } => {
            Told::new("error.address", why).with("url", url).with("mend", mend)
        }
    }
}

/// The models that the owner has set up.
struct SetUp {
    model: Arc<Switch>,
}

impl Models for SetUp {
    fn speaks(&self) -> Box<dyn Speaks> {
        Box::new(Minds::new(self.model.maker().clone(), SessionKey::owner()))
    }

    fn fault(&self, agent: &Agent) -> Option<Told> {
        Persona::of(agent.name.as_str(), &agent.file).err().as_ref().map(faulty)
    }

    fn unreachable(&self, agent: &Agent) -> Option<Told> {
        let persona = Persona::of(agent.name.as_str(), &agent.file).ok()?;
        reached(&persona.target, self.model.maker()).err().as_ref().map(unreached)
    }

    fn first(&self) -> Vec<Agent> {
        // Their names are the program's own.
        beginners(&self.model.first()).unwrap_or_default()
    }

    fn services(&self) -> Vec<Service> {
        let set: Vec<Target> = self.model.maker().llm.asked().collect();
        let own = ProviderName::ALL.into_iter().filter(|name| *name != ProviderName::Offline);
        own.map(|provider| {
            let mut models: Vec<String> = set
                .iter()
                .filter(|target| target.provider == provider)
                .map(|target| target.model.clone())
                .collect();
            models.dedup();
            Service { name: written(provider), models }
        })
        .collect()
    }
}
