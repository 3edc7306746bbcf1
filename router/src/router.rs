//! The router's loop: receive, find, judge, run, record, reply.

mod book;
mod own;
mod people;
mod pin;
mod work;

use std::sync::Arc;
use std::time::Duration;

use broker::{Publisher, Request, Responder};
use protocol::{Code, Command, Done, Object, Outcome, Stopped};
use secrets::Secrets;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span};

use crate::answers;
use crate::audit::Audit;
use crate::call::{Call, interrupted};
use crate::catalog::{Catalog, Per};
use crate::digest::Digest;
use crate::judge::Judge;
use crate::policy::Approved;
use crate::pulse::Pulse;
use crate::runner::Sandbox;
use crate::session_key::{is_guests, key_of};
use crate::workbench::Workbench;
use shared::TrafficBook;

/// How long the answers to what was stopped at the end may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A call that may take longer than this gives its slot back and is counted apart.
const SHORT: Duration = Duration::from_secs(60);

/// Everything that a router needs to serve commands.
pub struct Router {
    /// What can be run.
    pub catalog: Catalog,
    /// What may be run.
    pub judge: Judge,
    /// Where it runs.
    pub sandbox: Box<dyn Sandbox>,
    /// What it has sent and received.
    pub traffic: TrafficBook,
    /// The folders that people have opened.
    pub workbench: Workbench,
    /// Where it is written down.
    pub audit: Audit,
    /// What runs and what has ended, for those who look.
    pub pulse: Pulse,
    /// What must not leave.
    pub secrets: Secrets,
    /// How agents hear of what no command asked for.
    pub publisher: Arc<dyn Publisher>,
}

/// Waits until nobody waits for it any more.
async fn taken_back(request: Option<&Request>) {
    match request {
        Some(request) => request.cancelled().cancelled().await,
        None => std::future::pending().await,
    }
}

/// A router at work.
struct Serving {
    parts: Router,
    slots: Arc<Semaphore>,
    /// For calls that may take long: they leave the slots to the others.
    long: Semaphore,
    /// For what a person has approved: the loop keeps one of the others while it waits.
    approved: Semaphore,
    tasks: TaskTracker,
    /// Cancelled when nothing more is begun.
    closing: CancellationToken,
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
            long: Semaphore::new(parallel),
            approved: Semaphore::new(parallel),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            stop: CancellationToken::new(),
        });
        let publishing = tokio::spawn(Arc::clone(&serving).publish());
        // It is not cut off: a question between two hands would count as one that was begun.
        serving.tasks.spawn(Arc::clone(&serving).attend());
        let closing = responder.closing();
        loop {
            // A slot first: what has been received has left the queue, and must not wait in here.
            let (request, slot) = tokio::select! {
                slot = Arc::clone(&serving.slots).acquire_owned() => {
                    let Some(request) = responder.receive().await else { break };
                    (request, slot.ok())
                }
                request = responder.receive_own() => (request, None),
                () = closing.cancelled() => break,
            };
            let (at_work, span) = (Arc::clone(&serving), span(&request));
            let served = async move { at_work.serve(request, slot).await };
            serving.tasks.spawn(served.instrument(span));
        }
        publishing.abort();
        serving.closing.cancel();
        serving.finish(&mut responder, grace).await;
    }
}

/// What all log lines of a command have in front.
fn span(request: &Request) -> Span {
    let Ok(command) = request.command() else { return Span::none() };
    let trace = command.envelope.trace().map(tracing::field::display);
    tracing::info_span!("command", trace, id = %command.message_id)
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

    async fn serve(self: Arc<Self>, request: Request, slot: Option<OwnedSemaphorePermit>) {
        let outcome = match request.command() {
            Ok(_) if request.cancelled().is_cancelled() => {
                answers::taken_back(request.attempt()).into()
            }
            Ok(command) => match own::Own::of(command) {
                Some(own) => self.do_own(own, command).await,
                None => self.handle(command, &request, slot).await,
            },
            Err(malformed) => {
                tracing::warn!(id = ?malformed.message_id, "{}", malformed.stopped.message);
                malformed.stopped.clone().into()
            }
        };
        match answers::without_secrets(outcome, &self.parts.secrets) {
            // What was stopped by the end and may run again.
            Outcome::Stopped(Stopped { code: Code::Draining, .. }) => request.run_again(),
            outcome => request.reply(outcome),
        }
    }

    async fn handle(
        &self,
        command: &Command,
        request: &Request,
        mut slot: Option<OwnedSemaphorePermit>,
    ) -> Outcome {
        let outcome = match self.judge(command, request).await {
            Ok((approved, long)) => {
                if long.is_some() {
                    // The slot is for the others.
                    slot.take();
                    request.takes_long();
                }
                self.carry_out(approved, Some(request)).await
            }
            Err(stopped) => Err(stopped),
        };
        let outcome = outcome.map_or_else(Outcome::Stopped, Outcome::Done);
        self.record(command, &outcome, None).await;
        tracing::info!(status = ?outcome.status(), "{} has ended", command.action);
        outcome
    }

    /// One of the places of calls that may take long, for one that may.
    fn long_place(&self, call: &Call) -> Result<Option<SemaphorePermit<'_>>, Stopped> {
        if call.skill.timeout <= SHORT {
            return Ok(None);
        }
        let busy = |_| {
            let why = "as many long calls run as may at a time; ask again when one has ended";
            Stopped::new(Code::QueueFull, why)
        };
        self.long.try_acquire().map(Some).map_err(busy)
    }

    /// The right to run `command`, with the place that it takes if it may take long.
    async fn judge(
        &self,
        command: &Command,
        request: &Request,
    ) -> Result<(Approved, Option<SemaphorePermit<'_>>), Stopped> {
        let Router { catalog, secrets, judge, publisher, .. } = &self.parts;
        let skill = catalog.find(&command.action);
        let seen = judge.look(command, skill.is_ok_and(|skill| skill.reaches_anything())).await;
        // Whatever keeps it from being run again, it may have been done.
        let seen = seen.map_err(|stopped| match request.may_have_begun() {
            true => stopped.maybe_executed(),
            false => stopped,
        })?;
        let now = publisher.now();
        let call = Call::new(command.clone(), request.attempt(), catalog, secrets, now)?;
        if request.may_have_begun() && !call.may_run_again() {
            return Err(interrupted());
        }
        if call.skill.process.per == Per::Session && publisher.routers().await > 1 {
            return Err(answers::not_alone(&call));
        }
        // A place first: a yes may count, and is not used up by what finds none.
        let long = self.long_place(&call)?;
        match judge.judge(call, seen, now).await {
            Err(stopped) => Err(self.with_preview(stopped).await),
            Ok(approved) => Ok((approved, long)),
        }
    }

    /// Runs what is approved; `request` is the one that waits for it, if one does.
    async fn carry_out(
        &self,
        approved: Approved,
        request: Option<&Request>,
    ) -> Result<Done, Stopped> {
        let Router { catalog, judge, audit, sandbox, publisher, pulse, .. } = &self.parts;
        catalog.confirm(&approved.call().skill).await?;
        let now = publisher.now();
        let _runs = pulse.runs(&approved.call().command, now);
        audit.intent(&approved, now).await?;
        let call = approved.call().clone();
        let run = async {
            // From here on nobody else may begin it.
            let announced = request.filter(|_| !call.may_run_again());
            match announced {
                Some(request) if !request.begins().await => Err(answers::anothers()),
                _ => sandbox.run(approved, now).await,
            }
        };
        // Dropping the run ends its processes.
        let ran = tokio::select! {
            ran = run => ran,
            () = taken_back(request) => Err(answers::cancelled(&call)),
            stopped = judge.switch.thrown() => Err(answers::switched_off(&call, stopped)),
            () = self.stop.cancelled() => Err(answers::shut_down(&call)),
        };
        let ended = answers::finish(&call, ran, &self.parts.secrets);
        self.show(&call, &ended).await?;
        ended
    }

    /// Notes what the session is about to be shown; an error, too, holds what a skill has said. What can't be noted is not
    /// shown: the session would pass for one that has never seen it.
    async fn show(&self, call: &Call, ended: &Result<Done, Stopped>) -> Result<(), Stopped> {
        let nothing = Object::new();
        let result = ended.as_ref().map_or(&nothing, |done| &done.result);
        let brings = match ended {
            Ok(done) => done.brings,
            Err(stopped) => stopped.brings,
        };
        let brings = brings.unwrap_or(call.reads());
        let sessions = &self.parts.judge.sessions;
        let shown = sessions.shown(&call.command, (&call.skill, brings), result).await;
        shown.map_err(|fault| answers::not_shown(call, &fault))
    }

    /// Writes down how a command ended; a no also counts in its session. `refused` is what a person has refused.
    async fn record(&self, command: &Command, outcome: &Outcome, refused: Option<Digest>) {
        let Router { judge, audit, publisher, .. } = &self.parts;
        audit.outcome(command, outcome, publisher.now());
        self.note(command, outcome);
        let is_no = match outcome {
            Outcome::Stopped(Stopped { code: Code::Owner, .. }) => true,
            // What the owner has typed and may not is no sign of a model that tries again and again.
            Outcome::Stopped(Stopped { code: Code::Policy, .. }) => {
                !command.is_typed() || is_guests(key_of(command))
            }
            _ => false,
        };
        if is_no {
            let limits = judge.policy.current().limits();
            match judge.sessions.denied(command, refused, &limits).await {
                Ok(Some(why)) => self.tell_of_a_stop(command, &why).await,
                Ok(None) => {}
                Err(fault) => tracing::warn!("a no is not counted: {fault}"),
            }
        }
    }

    /// Notes how a command ended, for those who look.
    fn note(&self, command: &Command, outcome: &Outcome) {
        let Router { secrets, pulse, publisher, .. } = &self.parts;
        let why = match outcome {
            Outcome::Done(_) => None,
            Outcome::Stopped(stopped) => Some(secrets.redact(&stopped.message)),
        };
        pulse.ended(command, outcome, why, publisher.now());
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
