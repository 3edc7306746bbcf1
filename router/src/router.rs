//! The router's loop: receive, find, judge, run, record, reply.

use std::sync::Arc;
use std::time::Duration;

use broker::{Publisher, Request, Responder};
use protocol::{Code, Command, Done, Outcome, Stopped};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::approval::{Answered, Approvals};
use crate::audit::Audit;
use crate::call::Call;
use crate::catalog::Catalog;
use crate::policy::{Approved, PolicyFile, Question, Standing, Verdict};
use crate::sandbox::Sandbox;
use crate::secrets::Secrets;
use crate::{answers, events};

/// How long the answers to what was stopped at the end may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Everything that a router needs to serve commands.
pub struct Router {
    /// What can be run.
    pub catalog: Catalog,
    /// What may be run.
    pub policy: PolicyFile,
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

/// A router at work.
struct Serving {
    parts: Router,
    slots: Arc<Semaphore>,
    /// For what a person has approved: the loop keeps one of the others while it waits.
    approved: Semaphore,
    tasks: TaskTracker,
    /// Cancelled when the time to finish is over.
    stop: CancellationToken,
}

impl Router {
    /// Serves commands from `responder`, at most `parallel` at a time, until it closes; then waits for
    /// those that run, at most `grace`, and stops what is left.
    pub async fn run(self, mut responder: impl Responder, parallel: usize, grace: Duration) {
        let serving = Arc::new(Serving {
            parts: self,
            slots: Arc::new(Semaphore::new(parallel)),
            approved: Semaphore::new(parallel),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        });
        let publishing = tokio::spawn(Arc::clone(&serving).publish());
        let closing = responder.closing();
        loop {
            // A slot first: what has been received has left the queue, and must not wait in here.
            let slot = tokio::select! {
                slot = Arc::clone(&serving.slots).acquire_owned() => slot,
                () = closing.cancelled() => break,
            };
            let Some(request) = responder.receive().await else { break };
            let at_work = Arc::clone(&serving);
            serving.tasks.spawn(async move {
                at_work.serve(request).await;
                drop(slot);
            });
        }
        publishing.abort();
        serving.finish(&mut responder, grace).await;
    }
}

impl Serving {
    async fn finish(&self, responder: &mut impl Responder, grace: Duration) {
        self.tasks.close();
        let mut finished = async || tokio::join!(self.tasks.wait(), responder.drained());
        if tokio::time::timeout(grace, finished()).await.is_err() {
            tracing::warn!("what still runs after {} s is stopped", grace.as_secs());
            self.stop.cancel();
            let _ = tokio::time::timeout(LAST_WORDS, finished()).await;
        }
        let _ = tokio::time::timeout(LAST_WORDS, responder.leave()).await;
    }

    async fn serve(self: Arc<Self>, request: Request) {
        let outcome = match request.command() {
            Ok(_) if request.cancelled().is_cancelled() => {
                answers::taken_back(request.attempt()).into()
            }
            Ok(command) if command.action.as_str() == "APPROVE" => self.answer(command),
            Ok(command) => self.handle(command, &request).await,
            Err(malformed) => {
                tracing::warn!(id = ?malformed.message_id, "{}", malformed.stopped.message);
                malformed.stopped.clone().into()
            }
        };
        match outcome {
            // What was stopped by the end and may run again.
            Outcome::Stopped(Stopped { code: Code::Draining, .. }) => request.run_again(),
            outcome => request.reply(outcome),
        }
    }

    async fn handle(self: &Arc<Self>, command: &Command, request: &Request) -> Outcome {
        let outcome = match self.judge(command.clone(), request.attempt()) {
            Ok(approved) => self.carry_out(approved, request.cancelled()).await,
            Err(stopped) => Err(stopped),
        };
        let outcome = outcome.map_or_else(Outcome::Stopped, Outcome::Done);
        self.parts.audit.outcome(command, &outcome, self.parts.publisher.now());
        outcome
    }

    fn judge(self: &Arc<Self>, command: Command, attempt: u32) -> Result<Approved, Stopped> {
        let Router { catalog, secrets, policy, publisher, .. } = &self.parts;
        let now = publisher.now();
        let standing = Standing { taint: command.envelope.taint, now, ..Standing::default() };
        let call = Call::new(command, attempt, catalog, secrets, now)?;
        match policy.current().judge(call, &standing) {
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
        self.parts.catalog.confirm(&approved.call().skill).await?;
        let now = self.parts.publisher.now();
        self.parts.audit.intent(&approved, now).await?;
        let call = approved.call().clone();
        // Dropping the run ends its processes.
        let ran = tokio::select! {
            ran = self.parts.sandbox.run(approved, now) => ran,
            () = cancelled.cancelled() => Err(answers::cancelled(&call)),
            () = self.stop.cancelled() => Err(answers::shut_down(&call)),
        };
        answers::finish(&call, ran, &self.parts.secrets)
    }

    /// Parks a question and says `pending`; its result follows as an event.
    fn park(self: &Arc<Self>, question: Question) -> Stopped {
        match self.parts.approvals.park(question) {
            Ok((id, pending)) => {
                let router = Arc::clone(self);
                tokio::spawn(async move {
                    if let Some(question) = router.parts.approvals.expired(id).await {
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
        match self.parts.approvals.answer(command) {
            Ok(answered) => {
                self.tasks.spawn(Arc::clone(self).follow(answered));
                Done::default().into()
            }
            Err(stopped) => stopped.into(),
        }
    }

    /// Does what a person's answer means, and tells how it ended.
    async fn follow(self: Arc<Self>, answered: Answered) {
        let (call, outcome) = match answered {
            Answered::Yes(question, yes) => {
                let call = question.call().clone();
                // What was shown is what runs, or nothing does.
                let ran = if self.parts.catalog.serves(&call.skill) {
                    let _slot = self.approved.acquire().await;
                    match self.parts.policy.current().approve(question, &yes) {
                        Ok(approved) => self.carry_out(approved, &CancellationToken::new()).await,
                        Err(stopped) => Err(stopped),
                    }
                } else {
                    Err(answers::changed())
                };
                (call, ran.map_or_else(Outcome::Stopped, Outcome::Done))
            }
            Answered::No(question) => (question.call().clone(), answers::refused().into()),
        };
        self.conclude(&call, outcome).await;
    }

    /// Records how a pending command ended, and tells its session.
    async fn conclude(&self, call: &Call, outcome: Outcome) {
        let now = self.parts.publisher.now();
        self.parts.audit.outcome(&call.command, &outcome, now);
        if let Some(event) = events::result(&call.command, outcome, now) {
            self.parts.publisher.event(&event).await;
        }
    }

    /// Publishes the catalogue, again whenever it changes.
    async fn publish(self: Arc<Self>) {
        let mut catalog = self.parts.catalog.clone();
        loop {
            self.parts.publisher.catalog(&catalog.cards()).await;
            if !catalog.changed().await {
                return;
            }
        }
    }
}
