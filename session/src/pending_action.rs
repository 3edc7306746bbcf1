//! What the agent would do itself and a person is asked about first: it is done once the yes has come.

use protocol::{MessageId, Principal};

use super::Session;
use answer::Action;
use conversation::message::Origin;
use conversation::observation::Observation;

/// How many wait in a session: more than a router lets wait.
const MOST: usize = 16;

/// An action that waits for a person's yes.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingAction {
    /// What was asked of the router, which names it again when it is decided.
    id: MessageId,
    /// The action.
    pub action: Action,
    /// Who wanted it. What is permitted is permitted to them.
    pub principal: Principal,
    /// The kind of speaker who wanted it.
    pub origin: Origin,
}

impl Session {
    /// Keeps the action that an observation holds back.
    pub(super) fn hold(&mut self, observation: &Observation) {
        let id = observation.fields.get("message_id").and_then(|id| id.as_str());
        let id = id.and_then(|id| MessageId::new(id).ok());
        if let (Some(id), Some(action)) = (id, observation.held.clone()) {
            let (principal, origin) = (self.principal.clone(), self.origin);
            self.pending.push(PendingAction { id, action, principal, origin });
            let too_many = self.pending.len().saturating_sub(MOST);
            self.pending.drain(..too_many);
        }
    }

    /// Gives the action that was asked about under this id, once.
    pub fn take_pending(&mut self, id: &MessageId) -> Option<PendingAction> {
        let at = self.pending.iter().position(|held| held.id == *id)?;
        Some(self.pending.remove(at))
    }
}
