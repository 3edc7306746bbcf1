//! What becomes of the questions that people are asked.

use std::sync::Arc;

use protocol::{Command, Done, Outcome, SessionKey, Stopped};
use tokio_util::sync::CancellationToken;

use super::{Router, Serving};
use crate::approval::{Due, Parked, Yes};
use crate::call::Call;
use crate::judge::undecided;
use crate::{answers, events};

/// The session of the owner's own channels.
const OWNER: &str = "owner";

impl Serving {
    /// Attends to the questions whose time has come, one after the other, for as long as this router serves.
    pub(super) async fn attend(self: Arc<Self>) {
        loop {
            let (id, due) = self.parts.judge.approvals.due(|| self.parts.publisher.now()).await;
            self.tasks.spawn(Arc::clone(&self).follow(id, due));
        }
    }

    /// Does what an answer means, writes down how it ended, and tells its session.
    async fn follow(self: Arc<Self>, id: String, due: Due) {
        let Router { judge, audit, secrets, publisher, .. } = &self.parts;
        let parked = due.parked();
        audit.answered(&id, parked, publisher.now());
        let outcome = match &due {
            Due::Yes(parked, yes) => {
                self.run_parked(&id, parked, yes).await.map_or_else(Outcome::Stopped, Outcome::Done)
            }
            Due::No(_) => answers::refused().into(),
            Due::Unanswered(_) => answers::unanswered().into(),
            Due::Late(_) => answers::too_late().into(),
            Due::Interrupted(_) => answers::interrupted().into(),
        };
        let outcome = answers::without_secrets(outcome, secrets);
        match due {
            Due::No(_) => self.record(&parked.command, &outcome, Some(parked.digest)).await,
            // Silence refuses nothing: whoever was away can be asked again.
            Due::Unanswered(_) => audit.outcome(&parked.command, &outcome, publisher.now()),
            _ => self.record(&parked.command, &outcome, None).await,
        }
        if let Some(event) = events::result(&parked.command, outcome, publisher.now()) {
            publisher.event(&event).await;
        }
        if let Err(fault) = judge.approvals.end(&id).await {
            tracing::warn!("a question that has ended is still kept: {fault}");
        }
    }

    /// Runs what was asked about: the stored bytes, with the skill and the policy of the question, or nothing.
    async fn run_parked(&self, id: &str, parked: &Parked, yes: &Yes) -> Result<Done, Stopped> {
        let Router { catalog, secrets, judge, publisher, .. } = &self.parts;
        let _slot = self.approved.acquire().await;
        // Only now, for it may have waited for its turn.
        judge.switch.check().await?;
        if parked.skill.is_none() {
            return self.permit_parked(parked, yes).await;
        }
        let now = publisher.now();
        let call = Call::new(parked.command.clone(), 1, catalog, secrets, now)?;
        let approved = judge.policy.current().approve(call, parked, yes)?;
        judge.approvals.renew(id, publisher.now()).await.map_err(undecided)?;
        self.carry_out(approved, &CancellationToken::new()).await
    }

    /// Lets the agent do once what it has asked about; it asks again when it does it.
    async fn permit_parked(&self, parked: &Parked, yes: &Yes) -> Result<Done, Stopped> {
        let Router { judge, publisher, .. } = &self.parts;
        judge.permit_once(&parked.command, yes, publisher.now()).await?;
        Ok(Done::default())
    }

    /// Tells a session, and the owner, that it is stopped.
    pub(super) async fn tell_of_a_stop(&self, command: &Command, why: &str) {
        let own = command.envelope.session.clone();
        let owner = SessionKey::new(OWNER).ok().filter(|owner| own.as_ref() != Some(owner));
        let name = own.as_ref().map_or(crate::session::LEGACY, SessionKey::as_str);
        let text = format!(
            "the session {name} is stopped: {why}; safeclaw router sessions resume {name} lets it go on"
        );
        tracing::warn!("{text}");
        for session in own.clone().into_iter().chain(owner) {
            let event = events::notice(session, text.clone(), self.parts.publisher.now());
            self.parts.publisher.event(&event).await;
        }
    }
}
