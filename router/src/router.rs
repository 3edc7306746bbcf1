//! The router's loop: receive, find, judge, run, record, reply.

use std::sync::Arc;
use std::time::Duration;

use broker::{Publisher, Request, Responder};
use protocol::{Command, Done, Outcome, Stopped};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::approval::{Answered, Approvals};
use crate::audit::Audit;
use crate::call::Call;
use crate::catalog::Catalog;
use crate::policy::{Approved, Policy, Question, Verdict};
use crate::sandbox::Sandbox;
use crate::secrets::Secrets;
use crate::{answers, events};

/// Everything that a router needs to serve commands.
pub struct Router {
    /// What can be run.
    pub catalog: Catalog,
    /// What may be run.
    pub policy: Policy,
    /// What waits for a person.
    pub approvals: Approvals,
    /// Where it runs.
    pub sandbox: Box<dyn Sandbox>,
    /// Where it is written down.
    pub audit: Audit,
    /// What must not leave.
    pub secrets: Secrets,
    /// How agents hear of what no command asked for.
    pub publisher: Arc<dyn Publisher>,
}

impl Router {
    /// Serves commands from `responder`, at most `parallel` at a time, until it closes; then waits for
    /// those that run, at most `grace`.
    pub async fn run(self, mut responder: impl Responder, parallel: usize, grace: Duration) {
        let router = Arc::new(self);
        let publishing = tokio::spawn(Arc::clone(&router).publish());
        let slots = Arc::new(Semaphore::new(parallel));
        // A slot first: what has been received has left the queue, and must not wait in here.
        while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
            let Some(request) = responder.receive().await else { break };
            let router = Arc::clone(&router);
            tokio::spawn(async move {
                router.serve(request).await;
                drop(slot);
            });
        }
        publishing.abort();
        if tokio::time::timeout(grace, responder.drained()).await.is_err() {
            tracing::warn!("what still ran after {} s is stopped", grace.as_secs());
        }
    }

    async fn serve(self: Arc<Self>, request: Request) {
        let outcome = match request.command() {
            Ok(command) if command.action.as_str() == "APPROVE" => self.answer(command),
            Ok(command) => self.handle(command.clone(), request.cancelled()).await,
            Err(malformed) => {
                tracing::warn!(id = ?malformed.message_id, "{}", malformed.stopped.message);
                malformed.stopped.clone().into()
            }
        };
        request.reply(outcome);
    }

    async fn handle(self: &Arc<Self>, command: Command, cancelled: &CancellationToken) -> Outcome {
        let outcome = match self.judge(command.clone()) {
            Ok(approved) => self.carry_out(approved, cancelled).await,
            Err(stopped) => Err(stopped),
        };
        let outcome = outcome.map_or_else(Outcome::Stopped, Outcome::Done);
        self.audit.outcome(&command, &outcome, self.publisher.now());
        outcome
    }

    fn judge(self: &Arc<Self>, command: Command) -> Result<Approved, Stopped> {
        let call = Call::new(command, &self.catalog, &self.secrets, self.publisher.now())?;
        match self.policy.judge(call) {
            Verdict::Allow(approved) => Ok(approved),
            Verdict::Ask(question) => Err(self.park(question)),
            Verdict::Refuse(stopped) => Err(stopped),
        }
    }

    async fn carry_out(
        &self,
        approved: Approved,
        cancelled: &CancellationToken,
    ) -> Result<Done, Stopped> {
        self.audit.intent(&approved, self.publisher.now())?;
        let call = approved.call().clone();
        let now = self.publisher.now();
        let ran = tokio::select! {
            ran = self.sandbox.run(approved, now) => ran,
            // Dropping the run ends its processes.
            () = cancelled.cancelled() => Err(answers::cancelled(&call)),
        };
        answers::finish(&call, ran, &self.secrets)
    }

    /// Parks a question and says `pending`; its result follows as an event.
    fn park(self: &Arc<Self>, question: Question) -> Stopped {
        match self.approvals.park(question) {
            Ok((id, pending)) => {
                let router = Arc::clone(self);
                tokio::spawn(async move {
                    if let Some(question) = router.approvals.expired(id).await {
                        router.conclude(question.call(), answers::unanswered().into()).await;
                    }
                });
                pending
            }
            Err(stopped) => stopped,
        }
    }

    /// Takes a person's answer to a parked question.
    fn answer(self: &Arc<Self>, command: &Command) -> Outcome {
        let answered = match self.approvals.answer(command) {
            Ok(answered) => answered,
            Err(stopped) => return stopped.into(),
        };
        let router = Arc::clone(self);
        tokio::spawn(async move {
            match answered {
                Answered::Yes(question, yes) => {
                    let call = question.call().clone();
                    let approved = router.policy.approve(question, &yes);
                    let ran = router.carry_out(approved, &CancellationToken::new()).await;
                    let outcome = ran.map_or_else(Outcome::Stopped, Outcome::Done);
                    router.conclude(&call, outcome).await;
                }
                Answered::No(question) => {
                    router.conclude(question.call(), answers::refused().into()).await;
                }
            }
        });
        Done::default().into()
    }

    /// Records how a pending command ended, and tells its session.
    async fn conclude(&self, call: &Call, outcome: Outcome) {
        let now = self.publisher.now();
        self.audit.outcome(&call.command, &outcome, now);
        if let Some(event) = events::result(&call.command, outcome, now) {
            self.publisher.event(&event).await;
        }
    }

    /// Publishes the catalogue, again whenever it changes.
    async fn publish(self: Arc<Self>) {
        let mut catalog = self.catalog.clone();
        loop {
            self.publisher.catalog(&catalog.cards()).await;
            if !catalog.changed().await {
                return;
            }
        }
    }
}
