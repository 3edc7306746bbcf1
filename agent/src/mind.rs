//! What all sessions of one agent think and act with.

use std::collections::BTreeSet;
use std::sync::Arc;

use protocol::{ActionName, Event, EventKind, Outcome, Reply, Stopped};

use crate::action::{Actions, Sets};
use crate::channel::Outgoing;
use crate::model::Switch;
use crate::observation::Observation;
use crate::persona::Cast;
use crate::prompt::Sources;
use crate::question::{Decision, Question};
use crate::session::{Answered, Caller, Outbox, PendingAction, Session};
use crate::workspace::{Cards, Workspace};

/// Everything that a turn needs besides its session. All sessions share it, so nothing in it may tell one of another.
pub struct Mind {
    /// The agent's files.
    pub workspace: Arc<Workspace>,
    /// Who thinks.
    pub model: Arc<Switch>,
    /// The personas, and the models that they think with.
    pub cast: Cast,
    /// What prompts are made of.
    pub sources: Sources,
    /// What can be done.
    pub actions: Actions,
    /// The sets of actions that are on.
    pub sets: Sets,
    /// How often a turn may think.
    pub max_steps: usize,
    /// Lines for `/status`: what was found at start.
    pub found: Vec<String>,
}

impl Mind {
    /// The cards of every action: the local ones, then the router's.
    #[must_use]
    pub fn cards(&self) -> [Arc<Cards>; 2] {
        let words = self.workspace.agent_actions.read();
        [self.actions.local_cards(words), self.workspace.router_actions.read()]
    }

    /// The cards that are offered in `session`. Guests are offered no set, and a persona only those of the sets that are on
    /// which it names.
    #[must_use]
    pub fn cards_for(&self, session: &Session) -> [Arc<Cards>; 2] {
        let mut sets = if session.is_owners() { self.sets.on() } else { BTreeSet::new() };
        if let Some(own) = session.speaker.as_ref().and_then(|speaker| speaker.sets.as_ref()) {
            sets.retain(|set| own.contains(set));
        }
        self.cards().map(|cards| self.sets.offered(cards, &sets))
    }

    /// Takes in what the router says on its own. Gives what is to be done now because a person has said yes to it.
    #[must_use]
    pub(crate) fn hear(
        &self,
        session: &mut Session,
        event: Event,
        outbox: &Outbox,
    ) -> Option<PendingAction> {
        if let (EventKind::Result, Some(fields)) = (event.event, event.reply) {
            let question = session.settle(event.message_id.as_ref());
            let action =
                fields.get("action").and_then(|action| action.as_str()).unwrap_or_default();
            if let Ok(action) = ActionName::new(action) {
                let observation = Observation::of_reply(action, Reply::from_fields(fields));
                // One that was answered here has been said to be settled.
                let settled = |question: Option<Question>, observation: &Observation| {
                    if let Some(question) = question {
                        let how = question.ended(&observation.line());
                        outbox.say(Outgoing::Settled { id: question.id, how });
                    }
                };
                session.awaited = session.awaited.saturating_sub(1);
                let held = event.message_id.and_then(|id| session.take_pending(&id));
                if observation.action.is_local() && matches!(observation.outcome, Outcome::Done(_))
                {
                    settled(question, &observation);
                    if held.is_none() {
                        let told =
                            format!("{}: permitted; say again what you want", observation.action);
                        outbox.say(Outgoing::Notice(told));
                    }
                    return held;
                }
                outbox.say(Outgoing::Action(observation.line()));
                settled(question, &observation);
                session.observe(&observation, &self.cards());
                session.observed_later(observation.fields);
                drop(session.keep(outbox));
            }
        } else if let Some(text) = event.text {
            outbox.say(Outgoing::Notice(text));
        }
        None
    }

    /// Passes a person's decision on to the router.
    pub(crate) async fn answer(&self, session: &mut Session, given: Decision, outbox: &Outbox) {
        let caller = Caller::of(session);
        Answered::of(self, caller, given, outbox).await.note(session);
    }

    /// The questions that wait for a person: by the router's word, which also knows those from before a
    /// restart, or of an old router those that this session has seen.
    ///
    /// # Errors
    /// Why the router did not say.
    pub(crate) async fn open_questions(&self, session: &Session) -> Result<Vec<Question>, Stopped> {
        let open = self.actions.owner.open(&Caller::of(session)).await?;
        Ok(open.unwrap_or_else(|| session.questions.clone()))
    }

    /// Says what the session's files have to say, and to the owner what the agent's own have.
    pub(crate) fn pass_notices_on(&self, session: &Session, outbox: &Outbox) {
        let files = session.files.take_notices();
        let own = if session.is_owners() { self.workspace.take_notices() } else { Vec::new() };
        for notice in files.into_iter().chain(own) {
            outbox.say_fault(notice.to_string());
        }
    }
}
