//! Calls that wait for a person.
//!
//! A question is written into the store before anybody is told of it, and answered once: each step from one
//! [`State`] to the next is one swap there, so that of two answers, two routers or two restarts one wins. What runs after a
//! yes is the stored command itself, not what anybody says later.

mod answer;
mod lease;
mod parked;
mod shown;
mod yes;

use std::sync::Arc;
use std::time::Duration;

use protocol::{Code, Command, Millis, OWNER, Object, Principal, Stopped};
use serde_json::{Value, json};
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) use answer::Answer;
pub(crate) use lease::Lease;
pub(crate) use parked::{Parked, State, Subject, YesNeeds, short};
pub(crate) use yes::Yes;

use crate::call::Call;
use crate::digest::Digest;
use crate::policy::{Grant, Policy, Scope};
use crate::session_key::key_of;
use shared::{self, APPROVALS, Store, StoreFault};

/// How many questions may wait in all: whoever asks also names the session.
const MOST: usize = 64;

/// The longest question, in bytes: nobody reads more than that before saying yes.
const QUESTION: usize = 64 * 1024;

/// How often it is looked whether somebody has answered elsewhere: while something waits, and else.
const SOON: Duration = Duration::from_secs(1);
const LATER: Duration = Duration::from_secs(15);

/// How long after a question's own time a yes to it still counts, where no router was there to take it up.
const LATE: Duration = Duration::from_secs(60);

/// The questions that wait, of all routers that share the store.
#[derive(Debug)]
pub(crate) struct Approvals {
    store: Arc<dyn Store>,
    /// Somebody has answered at this router.
    answered: Notify,
    /// Held while a question is counted and parked, so that many at once are not each the third.
    parking: Mutex<()>,
    /// What this router has taken up and not let go of.
    held: std::sync::Mutex<Vec<Uuid>>,
}

/// A question whose time has come, taken up by this router: nobody else has it.
#[derive(Debug)]
pub(crate) enum Due {
    /// It may run.
    Yes(Box<Parked>, Yes),
    /// A person said no.
    No(Box<Parked>),
    /// Nobody said anything.
    Unanswered(Box<Parked>),
    /// A person said yes, and no router was there until long after.
    Late(Box<Parked>),
    /// The router that had taken it up has died.
    Interrupted(Box<Parked>),
}

/// What an approval is bound to: SHA-256 of who asks, in which session, for what exactly, of which skill and under which
/// policy. Whatever of it changes makes another question.
pub(crate) fn binding(command: &Command, call: Option<&Call>, policy: &str) -> Digest {
    let mut bound = json!({
        "principal": command.envelope.principal,
        "session": command.envelope.session,
        "action": command.action,
        "params": command.params,
        "skill": call.map(|call| json!({
            "digest": call.skill.digest,
            "settings": call.skill.settings,
            "effect": call.effect().to_string(),
            "dry_run": call.dry_run.is_some(),
        })),
        "policy": policy,
    });
    bound.sort_all_objects();
    Digest::of(bound.to_string().as_bytes())
}

/// The reply that shows a question.
fn pending(shown: Object) -> Stopped {
    Stopped::new(Code::Approval, "it waits for a person's yes")
        .with("approval", Value::Object(shown))
}

impl Approvals {
    /// Keeps questions in `store`.
    #[must_use]
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            answered: Notify::new(),
            parking: Mutex::new(()),
            held: std::sync::Mutex::default(),
        }
    }

    /// Parks what a person has to be asked about, and gives the reply `pending` that shows exactly what would run.
    ///
    /// # Errors
    /// `budget` when too many questions are open, `too_large` when nobody could read this one, `internal` when it
    /// can't be kept.
    pub(crate) async fn park(
        &self,
        subject: Subject,
        digest: Digest,
        policy: &Policy,
        now: Millis,
    ) -> Result<Stopped, Stopped> {
        let _parking = self.parking.lock().await;
        let open = self.open().await.map_err(|fault| not_kept(&fault))?;
        let session = key_of(&subject.command);
        if let Some((id, other)) = open.iter().find(|(_, other)| other.digest == digest) {
            // The very command is asked again where a router has died before it could tell of the question.
            if other.command.message_id == subject.command.message_id {
                return Ok(pending(other.shown_in_channel(id, policy, now)));
            }
            let why = "just this waits for a person's yes or no already; /approvals shows it";
            return Err(Stopped::new(Code::Budget, why));
        }
        let alike = subject.grant.as_ref().and_then(|grant| {
            open.iter().find(|(_, other)| {
                key_of(&other.command) == session && other.grant.as_ref() == Some(grant)
            })
        });
        let alike = alike.map(|(id, _)| id.clone());
        let waiting = kinds(open.iter().map(|(_, other)| other), session);
        // Whoever makes up sessions takes the owner's own questions no room.
        let is_full = session != OWNER && open.len() >= MOST;
        let is_one_more = alike.is_none() && waiting >= policy.limits().pending as usize;
        if is_one_more || is_full || open.len() >= 2 * MOST {
            let all = if is_full { open.len() } else { waiting };
            return Err(Stopped::new(
                Code::Budget,
                format!("{all} questions wait for a yes or no already; answer them first"),
            ));
        }
        let id = Uuid::new_v4().to_string();
        let until = now.after(policy.approval().expires);
        let parked = Parked::of(subject, digest, until);
        let size = parked.question.len();
        if size > QUESTION {
            return Err(Stopped::new(
                Code::TooLarge,
                format!("a person would have to read {size} bytes; at most {QUESTION} are asked"),
            ));
        }
        let mut shown = parked.shown_in_channel(&id, policy, now);
        shown.extend(alike.map(|first| ("beside".to_owned(), json!(first))));
        let entry = Some(parked);
        shared::update(&*self.store, APPROVALS, &id, |_: Option<Parked>| (entry.clone(), ()))
            .await
            .map_err(|fault| not_kept(&fault))?;
        self.answered.notify_one();
        Ok(pending(shown))
    }

    /// The questions that nobody has answered, by their ids.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn open(&self) -> Result<Vec<(String, Parked)>, StoreFault> {
        let mut all = shared::list::<Parked>(&*self.store, APPROVALS).await?;
        all.retain(|(_, parked)| parked.state == State::Waiting);
        all.sort_by_key(|(_, parked)| parked.until);
        Ok(all)
    }

    /// What `always` would allow of the question with this id.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn scope_of(&self, id: &str) -> Result<Option<Scope>, StoreFault> {
        let open = self.open().await?;
        Ok(open.into_iter().find(|(other, _)| other == id).and_then(|(_, parked)| parked.grant))
    }

    /// Says yes in the name of `by` to every question that would have offered just this grant, which pays for them, and tells to
    /// how many.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn release(
        &self,
        grant: &mut Grant,
        by: &Principal,
        now: Millis,
    ) -> Result<u32, StoreFault> {
        let mut released = 0;
        for (id, parked) in self.open().await? {
            let is_alike = parked.grant.as_ref() == Some(&grant.scope) && parked.code.is_none();
            let is_paid = grant.times.is_none_or(|times| grant.used < times);
            if is_alike && is_paid && parked.until > now {
                let yes = Parked { state: State::Yes { by: by.clone() }, ..parked.clone() };
                let is_new = u32::from(self.swap(&id, &parked, Some(&yes)).await?);
                (released, grant.used) = (released + is_new, grant.used.saturating_add(is_new));
            }
        }
        self.answered.notify_one();
        Ok(released)
    }

    /// The same of one session, or for the owner's of all, as its people are told of them.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn open_in(
        &self,
        session: &str,
        policy: &Policy,
        now: Millis,
    ) -> Result<Vec<Object>, StoreFault> {
        let open = self.open().await?.into_iter();
        let is_theirs = |parked: &Parked| session == OWNER || key_of(&parked.command) == session;
        let own = open.filter(|(_, parked)| is_theirs(parked) && parked.until > now);
        Ok(own.map(|(id, parked)| parked.shown_in_channel(&id, policy, now)).collect())
    }

    /// Waits until a question's time has come, and takes it up; none once nothing more is begun. It is looked for again after
    /// each one. `now` is asked for the queue's time.
    pub(crate) async fn due(
        &self,
        now: impl Fn() -> Millis,
        closing: &CancellationToken,
    ) -> Option<(Lease, Due)> {
        while !closing.is_cancelled() {
            let waiting = match self.take_up(now()).await {
                Ok(Ok(due)) => return Some(due),
                Ok(Err(waiting)) => waiting,
                Err(fault) => {
                    tracing::warn!("what waits for a person can't be read: {fault}");
                    0
                }
            };
            let patience = if waiting > 0 { SOON } else { LATER };
            let answered = tokio::time::timeout(patience, self.answered.notified());
            closing.run_until_cancelled(answered).await;
        }
        None
    }

    /// Takes up the first question whose time has come, or tells how many wait.
    async fn take_up(&self, now: Millis) -> Result<Result<(Lease, Due), usize>, StoreFault> {
        let all = shared::list::<Parked>(&*self.store, APPROVALS).await?;
        for (id, parked) in &all {
            let Some(due) = due(parked, now).filter(|_| !self.is_mine(&parked.state)) else {
                continue;
            };
            let lease = Lease::new(id);
            let taken_up = Parked { state: lease.state(now), ..parked.clone() };
            if self.swap(id, parked, Some(&taken_up)).await? {
                self.hold(&lease);
                return Ok(Ok((lease, due)));
            }
        }
        Ok(Err(all.len()))
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn held(&self) -> std::sync::MutexGuard<'_, Vec<Uuid>> {
        self.held.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// One step of a question, if nobody else has taken one.
    async fn swap(
        &self,
        id: &str,
        before: &Parked,
        after: Option<&Parked>,
    ) -> Result<bool, StoreFault> {
        shared::update(&*self.store, APPROVALS, id, |there: Option<Parked>| {
            if there.as_ref() == Some(before) { (after.cloned(), true) } else { (there, false) }
        })
        .await
    }
}

/// How many questions of `session` wait: steps of one plan that are alike are one to whoever answers.
fn kinds<'q>(open: impl Iterator<Item = &'q Parked>, session: &str) -> usize {
    let mut grants: Vec<&Scope> = Vec::new();
    let mut others = 0;
    for parked in open.filter(|parked| key_of(&parked.command) == session) {
        match &parked.grant {
            Some(grant) if grants.contains(&grant) => {}
            Some(grant) => grants.push(grant),
            None => others += 1,
        }
    }
    grants.len() + others
}

impl Due {
    /// The question.
    pub(crate) fn parked(&self) -> &Parked {
        match self {
            Self::Yes(parked, _)
            | Self::No(parked)
            | Self::Unanswered(parked)
            | Self::Late(parked)
            | Self::Interrupted(parked) => parked,
        }
    }
}

fn due(parked: &Parked, now: Millis) -> Option<Due> {
    let boxed = || Box::new(parked.clone());
    match &parked.state {
        // Nobody expects it to happen any more.
        State::Yes { .. } if now > parked.until.after(LATE) => Some(Due::Late(boxed())),
        State::Yes { by } => Some(Due::Yes(boxed(), Yes::of(by.clone()))),
        State::No { .. } => Some(Due::No(boxed())),
        State::Waiting => (now > parked.until).then(|| Due::Unanswered(boxed())),
        State::TakenUp { until, .. } => (now > *until).then(|| Due::Interrupted(boxed())),
    }
}

impl Parked {
    fn of(subject: Subject, digest: Digest, until: Millis) -> Self {
        let is_pin = subject.proof == YesNeeds::Pin;
        let code = (subject.proof == YesNeeds::Code).then(shown::code);
        let question = shown::question(&subject, &digest, code.as_deref());
        let Subject { mut command, skill, does, rule, grant, .. } = subject;
        // Its deadline was for a prompt reply, which is `pending`; a person may take longer.
        command.envelope.deadline = None;
        // It has told what it had to tell, unless it is still to be judged.
        command.envelope.said.take_if(|_| !is_pin);
        Self {
            command,
            digest,
            skill,
            does,
            rule,
            question,
            code,
            pin: is_pin,
            wrong: 0,
            grant,
            until,
            state: State::Waiting,
        }
    }
}

fn not_kept(fault: &StoreFault) -> Stopped {
    Stopped::new(Code::Internal, format!("no person can be asked ({fault}), so nothing was run"))
}
