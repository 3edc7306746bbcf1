//! What becomes of the questions that people are asked.

use std::sync::Arc;

use protocol::{Code, Command, Done, Object, Outcome, SessionKey, Stopped};
use serde_json::json;

use super::{Router, Serving};
use crate::audit::Deed;
use crate::call::{Call, interrupted};
use crate::judge::undecided;
use crate::policy::approval::{Answer, Due, Lease, Parked, Yes};
use crate::session_key::{LEGACY, key_of, unlock_words};
use crate::{answers, events};

/// Where it is told what has become of a question.
enum Told {
    /// Here, and now.
    Here,
    /// By the router that has it now.
    ByAnother,
    /// Once a router takes it up that is not closing: nothing has been begun.
    Later,
}

impl Serving {
    /// Attends to the questions whose time has come, one after the other, for as long as this router serves.
    pub(super) async fn attend(self: Arc<Self>) {
        let Router { judge, publisher, .. } = &self.parts;
        while let Some((lease, due)) = judge.approvals.due(|| publisher.now(), &self.closing).await
        {
            self.tasks.spawn(Arc::clone(&self).follow(lease, due));
        }
    }

    /// Ends a question, unless another router has taken this one for dead meanwhile and told of it, or is to take it up.
    async fn follow(self: Arc<Self>, lease: Lease, due: Due) {
        let Router { judge, audit, publisher, .. } = &self.parts;
        let told = tokio::select! {
            told = self.tell(&lease, &due) => told,
            // Dropping the other one ends what runs.
            () = judge.approvals.lost(&lease, || publisher.now()) => Told::ByAnother,
        };
        let kept = match told {
            Told::Here => judge.approvals.end(&lease).await,
            Told::Later => judge.approvals.put_back(&lease, due.parked()).await,
            Told::ByAnother => {
                let command = &due.parked().command;
                tracing::warn!("{} is another router's now, and stopped here", command.action);
                audit.outcome(command, &interrupted().into(), publisher.now());
                Ok(())
            }
        };
        if let Err(fault) = kept {
            tracing::warn!("a question that has ended is still kept: {fault}");
        }
        judge.approvals.let_go(&lease);
    }

    /// Does what an answer means, writes down how it ended, and tells its session.
    async fn tell(&self, lease: &Lease, due: &Due) -> Told {
        let Router { judge, audit, secrets, publisher, .. } = &self.parts;
        let parked = due.parked();
        let turn = async {
            match due {
                Due::Yes(..) => self.approved.acquire().await.ok(),
                _ => None,
            }
        };
        let Some(_slot) = self.closing.run_until_cancelled(turn).await else {
            return Told::Later;
        };
        audit.answered(lease.id(), parked, publisher.now());
        let outcome = match due {
            Due::Yes(parked, yes) => {
                // It may have waited for its turn, and a process may have been held up for long.
                match judge.approvals.renew(lease, publisher.now()).await {
                    Ok(true) => self.run_parked(parked, yes).await,
                    Ok(false) => return Told::ByAnother,
                    Err(fault) => Err(undecided(fault)),
                }
                .map_or_else(Outcome::Stopped, Outcome::Done)
            }
            Due::No(_) => answers::refused().into(),
            Due::Unanswered(_) => answers::unanswered().into(),
            Due::Late(_) => answers::too_late().into(),
            Due::Interrupted(_) => interrupted().into(),
        };
        let outcome = answers::without_secrets(outcome, secrets);
        match due {
            Due::No(_) => self.record(&parked.command, &outcome, Some(parked.digest)).await,
            // Silence refuses nothing: whoever was away can be asked again.
            Due::Unanswered(_) => {
                audit.outcome(&parked.command, &outcome, publisher.now());
                self.note(&parked.command, &outcome);
            }
            _ => self.record(&parked.command, &outcome, None).await,
        }
        if let Some(event) = events::result(&parked.command, outcome, publisher.now()) {
            publisher.event(&event).await;
        }
        Told::Here
    }

    /// Runs what was asked about: the stored bytes, with the skill and the policy of the question, or nothing.
    async fn run_parked(&self, parked: &Parked, yes: &Yes) -> Result<Done, Stopped> {
        let Router { catalog, secrets, judge, publisher, .. } = &self.parts;
        // Only now, when it is its turn.
        judge.switch.check().await?;
        if parked.pin {
            return self.go_on(parked).await;
        }
        if parked.skill.is_none() {
            return self.permit_parked(parked, yes).await;
        }
        let now = publisher.now();
        let call = Call::new(parked.command.clone(), 1, catalog, secrets, now)?;
        let approved = judge.policy.current().approve(call, parked, yes)?;
        self.carry_out(approved, None).await
    }

    /// Lets the agent do once what it has asked about; it asks again when it does it.
    async fn permit_parked(&self, parked: &Parked, yes: &Yes) -> Result<Done, Stopped> {
        let Router { judge, publisher, .. } = &self.parts;
        judge.permit_once(&parked.command, yes, publisher.now()).await?;
        Ok(Done::default())
    }

    /// Lets a session go on that was told no too often, for a person who may answer its questions: the one that asks, or
    /// the one that `{"session": KEY}` names.
    pub(super) async fn unlock(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, audit, publisher, .. } = &self.parts;
        let by = Answer::giver(command, judge.policy.current().approval(), true)?;
        let session = match command.params.get("session") {
            None => key_of(command).to_owned(),
            Some(named) => named.as_str().unwrap_or_default().to_owned(),
        };
        audit.deed(&Deed::ResumeSession { session: &session }, Some(&by), publisher.now()).await?;
        let found = judge.sessions.resume(&session).await.map_err(undecided)?;
        if !found && session != key_of(command) {
            let why = "session: nothing is known of such a session within the last day";
            return Err(Stopped::new(Code::BadParams, why));
        }
        Ok(Object::from_iter([("session".to_owned(), json!(session))]))
    }

    /// Tells a session, and the owner, that it is stopped.
    pub(super) async fn tell_of_a_stop(&self, command: &Command, why: &str) {
        let own = command.envelope.session.clone();
        let owner = Some(SessionKey::owner()).filter(|owner| own.as_ref() != Some(owner));
        let name = own.as_ref().map_or(LEGACY, SessionKey::as_str);
        let unlock = unlock_words(name);
        let text = format!("the session {name} is stopped: {why}; {unlock} lets it go on");
        tracing::info!("{text}");
        for session in own.clone().into_iter().chain(owner) {
            let event = events::notice(session, text.clone(), self.parts.publisher.now());
            self.parts.publisher.event(&event).await;
        }
    }
}
