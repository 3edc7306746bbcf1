//! All actions together: the local ones and the way to the router.

use std::sync::Arc;
use std::time::Duration;

use broker::Requester;
use protocol::{ActionCard, ActionName, Code, NameError, Stopped};

use super::reserved::{OwnersLine, is_reserved};
use super::routed::Routed;
use super::{LocalAction, Observation, described};
use crate::answer::Action;
use crate::session::Asking;
use crate::workspace::Cards;

/// What the agent can do: a closed set of its own actions, and whatever the router can run.
pub struct Actions {
    local: Vec<Box<dyn LocalAction>>,
    routed: Routed,
    /// What people ask of the router themselves.
    pub owner: OwnersLine,
}

impl Actions {
    /// These local actions, and a router that is given at least `timeout` for a reply.
    ///
    /// # Errors
    /// Never in practice: the names of the router's own requests follow the grammar.
    pub fn new(
        local: Vec<Box<dyn LocalAction>>,
        requester: Arc<dyn Requester>,
        timeout: Duration,
    ) -> Result<Self, NameError> {
        let owner = OwnersLine::new(Arc::clone(&requester), timeout)?;
        Ok(Self { local, routed: Routed::new(requester, timeout), owner })
    }

    /// The local actions' cards, in the owner's words.
    #[must_use]
    pub fn local_cards(&self, words: &Cards) -> Vec<ActionCard> {
        let local: Vec<&dyn LocalAction> = self.local.iter().map(AsRef::as_ref).collect();
        described(&local, words)
    }

    /// Runs `action` and tells how it ended. `cards` are all that can be asked for.
    pub async fn run(
        &self,
        action: Action,
        asking: &Asking,
        cards: &[Vec<ActionCard>; 2],
    ) -> Observation {
        let held = action.clone();
        let Action { name, params } = action;
        if name.is_local() {
            let result = match self.local.iter().find(|local| local.card().name == name) {
                Some(local) => local.run(params, asking).await,
                None => Err(unknown(&name, &cards[0])),
            };
            return Observation::of_local(name, result).holding(held);
        }
        match cards[1].iter().find(|card| card.name == name && !is_reserved(&name)) {
            Some(card) => {
                let patience = card.timeout_ms.map(Duration::from_millis);
                self.routed.run(name, params, asking, patience).await
            }
            // Only what a catalogue names goes to the router: its own requests are not for the model.
            None => {
                let stopped = unknown(&name, &cards[1]);
                Observation::of_local(name, Err(stopped))
            }
        }
    }
}

fn unknown(name: &ActionName, cards: &[ActionCard]) -> Stopped {
    let names = cards.iter().map(|card| card.name.as_str());
    let near = home::nearest(name.as_str(), names);
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Stopped::new(Code::UnknownAction, format!("there is no action {name}{hint}"))
}
