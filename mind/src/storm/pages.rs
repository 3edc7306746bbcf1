//! What the pages of storms need of the agent.

use std::sync::Arc;

use axum::Router;
use protocol::SessionKey;
use storm::Agent;
use storm_pages::{Models, Service, Storms};
use storm_runner::{Shelf, Speaks};

use super::ask::Minds;
use super::casting::{beginners, written};
use super::{FOLDER, PERSONAS, TOKENS};
use conversation::workspace::Workspace;
use model::Switch;
use persona::{Persona, reached};
use settings::{ProviderName, Target};

/// The pages of the storms in `workspace`, whose agents think with what `model` is made with.
pub fn pages(workspace: &Workspace, model: &Arc<Switch>) -> Router {
    let folder = workspace.folder();
    let models = Arc::new(SetUp { model: Arc::clone(model) });
    Storms::new(Shelf::at(folder.join(FOLDER)), folder.join(PERSONAS), models, TOKENS).routes()
}

/// The models that the owner has set up.
struct SetUp {
    model: Arc<Switch>,
}

impl Models for SetUp {
    fn speaks(&self) -> Box<dyn Speaks> {
        Box::new(Minds::new(self.model.maker().clone(), SessionKey::owner()))
    }

    fn fault(&self, agent: &Agent) -> Option<String> {
        Persona::of(agent.name.as_str(), &agent.file).err().map(|error| error.to_string())
    }

    fn unreachable(&self, agent: &Agent) -> Option<String> {
        let persona = Persona::of(agent.name.as_str(), &agent.file).ok()?;
        reached(&persona.target, self.model.maker()).err()
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
