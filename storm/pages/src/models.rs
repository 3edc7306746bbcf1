//! What the pages need of the agent: the models, and what the owner has set up.

use storm::Agent;
use storm_runner::Speaks;

use crate::told::Told;

/// Who thinks for the agents of storms.
pub trait Models: Send + Sync {
    /// Asks them.
    fn speaks(&self) -> Box<dyn Speaks>;

    /// What is wrong with the file of an agent, so that it is not kept; `None` if nothing is.
    fn fault(&self, agent: &Agent) -> Option<Told>;

    /// Why an agent would not be asked as things are set up; `None` if it would.
    fn unreachable(&self, agent: &Agent) -> Option<Told>;

    /// The agents of a storm for which nobody has written any.
    fn first(&self) -> Vec<Agent>;

    /// Whom an agent may name.
    fn services(&self) -> Vec<Service>;
}

/// Somebody who serves models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Its name, as AIStorm spells it.
    pub name: &'static str,
    /// The models of it that the owner has set up.
    pub models: Vec<String>,
}
