//! What a person is asked about first: what the agent does itself is done once the yes, or the PIN, has come, and what the router
//! does for a command is told in the command's words.

use answer::Action;
use conversation::message::Origin;
use conversation::observation::Observation;
use protocol::{MessageId, Principal, Taint};

use super::Session;

/// How many wait in a session: more than a router lets wait.
const MOST: usize = 16;

/// What waits for a person's yes.
#[derive(Debug, Clone, PartialEq)]
pub enum HeldBack {
    /// An action of a model's or of a person's. One of the agent's own is done after the yes; every other one the router does.
    Action(Action),
    /// A person's command, as it is typed.
    Command(String),
}

/// Something that waits for a person's yes.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingAction {
    /// What was asked of the router, which names it again when it is decided.
    id: MessageId,
    /// What is done then.
    pub held: HeldBack,
    /// Who wanted it. What is permitted is permitted to them.
    pub principal: Principal,
    /// The kind of speaker who wanted it.
    pub origin: Origin,
    /// What was in the conversation then, which may be another one by now.
    pub bits: Taint,
}

impl Session {
    /// Keeps the action that an observation holds back.
    pub(super) fn hold(&mut self, observation: &Observation) {
        if let Some(action) = observation.held.clone() {
            self.hold_back(observation, HeldBack::Action(action));
        }
    }

    /// Keeps a command until what `observation` asks a person is answered.
    pub fn hold_command(&mut self, observation: &Observation, command: String) {
        self.hold_back(observation, HeldBack::Command(command));
    }

    /// The same for an observation that the session takes in only so.
    pub fn asks_for(&mut self, observation: &Observation, command: String) {
        self.hold_command(observation, command);
        self.was_asked(observation);
    }

    fn hold_back(&mut self, observation: &Observation, held: HeldBack) {
        let id = observation.fields.get("message_id").and_then(|id| id.as_str());
        let Some(id) = id.and_then(|id| MessageId::new(id).ok()) else { return };
        // The command that wanted an action tells its result, not the action.
        self.pending.retain(|pending| pending.id != id);
        let (principal, origin) = (self.principal.clone(), self.origin);
        let bits = self.entered.taint();
        self.pending.push(PendingAction { id, held, principal, origin, bits });
        let too_many = self.pending.len().saturating_sub(MOST);
        self.pending.drain(..too_many);
    }

    /// Gives the action that was asked about under this id, once.
    pub fn take_pending(&mut self, id: &MessageId) -> Option<PendingAction> {
        let at = self.pending.iter().position(|held| held.id == *id)?;
        Some(self.pending.remove(at))
    }
}
