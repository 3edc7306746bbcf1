//! What all sessions of one agent think and act with.

use std::sync::Arc;

use protocol::{ActionCard, ActionName, Event, EventKind, Object, Outcome, Reply, Stopped};
use tokio::task::JoinHandle;

use crate::action::{Actions, Observation};
use crate::channel::Outgoing;
use crate::model::Switch;
use crate::question::{Decision, Question};
use crate::session::{Asking, Held, Outlet, Session};
use crate::workspace::Workspace;

/// How many observations are kept while events come and nobody says anything.
const OBSERVATIONS: usize = 16;

/// Everything that a turn needs besides its session.
pub struct Mind {
    /// The agent's files.
    pub workspace: Arc<Workspace>,
    /// Who thinks.
    pub model: Arc<Switch>,
    /// What can be done.
    pub actions: Actions,
    /// How often a turn may think.
    pub max_steps: usize,
    /// Lines for `/status`: what was found at start.
    pub found: Vec<String>,
}

impl Mind {
    /// The cards of every action: the local ones, then the router's.
    #[must_use]
    pub fn cards(&self) -> [Vec<ActionCard>; 2] {
        let described = self.workspace.agent_actions.read();
        [self.actions.local_cards(&described), self.workspace.router_actions.read().0.clone()]
    }

    /// Takes in what the router says on its own. Gives what is to be done now because a person has said yes to it.
    #[must_use]
    pub(crate) fn hear(
        &self,
        session: &mut Session,
        event: Event,
        outlet: &Outlet,
    ) -> Option<Held> {
        if let (EventKind::Result, Some(fields)) = (event.event, event.reply) {
            let action =
                fields.get("action").and_then(|action| action.as_str()).unwrap_or_default();
            if let Ok(action) = ActionName::new(action) {
                let observation = Observation::of_reply(action, Reply::from_fields(fields));
                session.awaited = session.awaited.saturating_sub(1);
                let held = event.message_id.and_then(|id| session.take_held(&id));
                if observation.action.is_local() && matches!(observation.outcome, Outcome::Done(_))
                {
                    if held.is_none() {
                        let told =
                            format!("{}: permitted; say again what you want", observation.action);
                        outlet.say(Outgoing::Notice(told));
                    }
                    return held;
                }
                outlet.say(Outgoing::Action(observation.line()));
                session.observe(&observation, &self.cards());
                // The next turn's prompt shows it beside what the latest turn brought.
                self.workspace.artifact.hold(|artifact| {
                    artifact.0.push(observation.fields);
                    let too_many = artifact.0.len().saturating_sub(OBSERVATIONS);
                    artifact.0.drain(..too_many);
                });
                drop(self.keep(session, outlet));
            }
        } else if let Some(text) = event.text {
            outlet.say(Outgoing::Notice(text));
        }
        None
    }

    /// Passes a person's decision on to the router.
    pub(crate) async fn answer(&self, session: &mut Session, given: Decision, outlet: &Outlet) {
        match self.actions.owner.decide(&Asking::of(session), &given).await {
            Ok(()) => {
                session.questions.retain(|question| question.id != given.id);
                session.awaited += 1;
            }
            Err(stopped) => outlet
                .say(Outgoing::Notice(format!("the answer did not count: {}", stopped.message))),
        }
    }

    /// The questions that wait for a person: by the router's word, which also knows those from before a
    /// restart, or of an old router those that this session has seen.
    ///
    /// # Errors
    /// Why the router did not say.
    pub(crate) async fn open_questions(&self, session: &Session) -> Result<Vec<Question>, Stopped> {
        let open = self.actions.owner.open(&Asking::of(session)).await?;
        Ok(open.unwrap_or_else(|| session.questions.clone()))
    }

    /// Says what the files have to say.
    pub(crate) fn pass_notices_on(&self, outlet: &Outlet) {
        for notice in self.workspace.take_notices() {
            outlet.say(Outgoing::Notice(notice.to_string()));
        }
    }
}

impl Mind {
    /// Takes what was said into the history, until [`Self::keep`] in memory alone.
    pub(crate) fn remember(&self, message: &str, said: &str) {
        self.workspace.history.hold(|history| history.add(message, said.trim()));
    }

    /// Takes in what actions brought, until [`Self::keep`] in memory alone.
    pub(crate) fn observed(&self, mut fields: Vec<Object>) {
        fields.drain(..fields.len().saturating_sub(OBSERVATIONS));
        self.workspace.artifact.hold(|artifact| artifact.0 = fields);
    }

    /// Brings what was said and done to the disk. The disk is slow, so that happens beside whatever is
    /// next; it is done when the handle says so, also if somebody else has begun it.
    pub(crate) fn keep(&self, session: &Session, outlet: &Outlet) -> JoinHandle<()> {
        let (workspace, outlet) = (Arc::clone(&self.workspace), outlet.clone());
        let was_kept = workspace.session.is_on_disk();
        workspace.session.hold(|entered| entered.clone_from(&session.entered));
        tokio::task::spawn_blocking(move || {
            // The word on a text is there before the text is: a restart must not take it for the owner's.
            if let Err(error) = workspace.session.flush() {
                tracing::warn!(%error, "what was said and done is kept in memory only");
                if was_kept {
                    let told = format!("what was said and done can't be kept: {error}");
                    outlet.say(Outgoing::Notice(told));
                }
            }
            if !workspace.session.is_on_disk() {
                return;
            }
            if let Err(error) = workspace.history.flush() {
                tracing::warn!(%error, "the history is kept in memory only");
            }
            if let Err(error) = workspace.artifact.flush() {
                outlet.say(Outgoing::Notice(error.to_string()));
            }
        })
    }
}
