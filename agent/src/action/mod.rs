//! What the model can ask for. A name that starts with `_` is run here, by one of the few local actions;
//! everything else goes to the router.

mod actions;
mod observation;
mod routed;

mod llm_summary;
mod memory_write;

use async_trait::async_trait;
use protocol::{ActionCard, Code, Done, Object, Stopped};

pub use actions::Actions;
pub use llm_summary::LlmSummary;
pub use memory_write::MemoryWrite;
pub use observation::Observation;

use crate::workspace::{AGENT_ACTIONS, Cards};

/// An action that the agent runs itself, because it reaches nothing but its own workspace and model.
#[async_trait]
pub trait LocalAction: Send + Sync {
    /// Its name, schema, effect and built-in description.
    fn card(&self) -> &ActionCard;

    /// Runs it.
    ///
    /// # Errors
    /// [`Stopped`] says why it did not run or not to its end, in words for the user and the model.
    async fn run(&self, params: Object) -> Result<Done, Stopped>;
}

/// The cards of `actions` as the model should see them: which actions exist, what they take and what
/// they do is the code's word; `described` (agent_action.json) says it in the owner's words and with the
/// owner's examples.
#[must_use]
pub fn described(actions: &[&dyn LocalAction], described: &Cards) -> Vec<ActionCard> {
    let words = |card: &ActionCard| match described.0.iter().find(|own| own.name == card.name) {
        Some(own) => ActionCard {
            instruction: own.instruction.clone(),
            examples: own.examples.clone(),
            ..card.clone()
        },
        None => card.clone(),
    };
    actions.iter().map(|action| words(action.card())).collect()
}

/// The built-in card of a local action.
fn card(name: &str) -> Option<ActionCard> {
    Cards::built_in(AGENT_ACTIONS).0.into_iter().find(|card| card.name.as_str() == name)
}

/// Reads the parameters of a local action, none missing and none too many.
fn params<T: serde::de::DeserializeOwned>(params: Object) -> Result<T, Stopped> {
    serde_json::from_value(params.into()).map_err(|error| {
        Stopped::new(Code::BadParams, format!("the parameters don't fit: {error}"))
    })
}
