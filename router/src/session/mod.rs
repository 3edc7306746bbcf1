//! What the router keeps of each session, from what it has seen itself: the trust bits, how much was asked for, what people
//! have said no to, and the addresses that stood in what the session was shown.
//!
//! An agent's word about its session may raise a bit, and never clears one.

mod links;
mod record;

use std::sync::Arc;

use protocol::{Command, Effect, Millis, Object, Reads, SessionKey, Stopped, Taint};

pub(crate) use record::Record;

use crate::call::Call;
use crate::digest::Digest;
use crate::policy::Limits;
use crate::store::{self, LINKS, SESSIONS, Store, StoreFault};

/// The session of commands that name none, as those of the first SafeClaw.
pub(crate) const LEGACY: &str = "legacy";

/// The sessions of all agents.
#[derive(Debug)]
pub(crate) struct Sessions {
    store: Arc<dyn Store>,
}

/// What the store has just said of the session of a command.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Its record.
    pub(crate) record: Result<Option<Vec<u8>>, StoreFault>,
    /// The addresses that it knows; `None` where the command can't go anywhere, and nobody has asked.
    pub(crate) links: Option<Result<Option<Vec<u8>>, StoreFault>>,
}

/// What is known of the session of a call that may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    /// What has entered it.
    pub(crate) taint: Taint,
    /// Whether the call would go to an address that nobody and nothing in the session has named.
    pub(crate) foreign_url: bool,
}

impl Sessions {
    /// Keeps sessions in `store`.
    #[must_use]
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Takes a call in: raises the bits that its command claims, and counts it if it does or reads anything.
    ///
    /// # Errors
    /// `budget` when it is one too many or the session is stopped, `owner` when a person has said no to just this,
    /// `internal` when the store can't be used.
    pub(crate) async fn admit(
        &self,
        call: &Call,
        seen: Seen,
        digest: &Digest,
        (limits, now): (&Limits, Millis),
    ) -> Result<Known, Stopped> {
        let does_something = call.effect() != Effect::None || call.reads() != Reads::NONE;
        let counted = does_something.then_some((limits, now));
        let links = match seen.links {
            _ if !call.skill.reaches_anything() => None,
            // The skill is another one than when it was looked.
            None => Some(self.store.read(LINKS, key_of(&call.command)).await),
            seen => seen,
        };
        self.take_in(&call.command, Seen { links, ..seen }, digest, counted).await
    }

    /// The same for what the agent would do itself, and that may reach anything.
    ///
    /// # Errors
    /// The same.
    pub(crate) async fn admit_reach(
        &self,
        command: &Command,
        seen: Seen,
        digest: &Digest,
        (limits, now): (&Limits, Millis),
    ) -> Result<Known, Stopped> {
        self.take_in(command, seen, digest, Some((limits, now))).await
    }

    async fn take_in(
        &self,
        command: &Command,
        Seen { record, links }: Seen,
        digest: &Digest,
        counted: Option<(&Limits, Millis)>,
    ) -> Result<Known, Stopped> {
        let key = key_of(command);
        let same = Digest::of(&canonical(command));
        let (place, record) = ((SESSIONS, key), record.map_err(|fault| unusable(&fault))?);
        let taken_in = store::update_seen(&*self.store, place, record, |record: Option<Record>| {
            let was_there = record.is_some();
            let mut record = record.unwrap_or_default();
            record.taint = record.taint.with(command.envelope.taint);
            let admitted = record.may(digest).and_then(|()| match counted {
                Some((limits, now)) => record.count(&same, limits, now),
                None => Ok(()),
            });
            let taint = record.taint;
            let kept = (was_there || !record.is_blank()).then_some(record);
            (kept, admitted.map(|()| taint))
        });
        let taint = taken_in.await.map_err(|fault| unusable(&fault))??;
        let Some(links) = links.filter(|_| !taint.is_clean()) else {
            return Ok(Known { taint, foreign_url: false });
        };
        let links = links.and_then(|links| store::read_seen((LINKS, key), links.as_deref()));
        let links: Option<Vec<u64>> = links.map_err(|fault| unusable(&fault))?;
        let (params, typed) = (&command.params, &command.envelope.typed);
        let foreign_url = links::are_foreign(params, &links.unwrap_or_default(), typed);
        Ok(Known { taint, foreign_url })
    }

    /// Takes in that `command` has shown its session `result`.
    ///
    /// # Errors
    /// [`StoreFault`]; then the session must not be shown it.
    pub(crate) async fn shown(
        &self,
        command: &Command,
        reads: Reads,
        result: &Object,
    ) -> Result<(), StoreFault> {
        let bits = reads.taint();
        let key = key_of(command);
        let found = if reads == Reads::NONE { Vec::new() } else { links::new_in(command, result) };
        let places = [(SESSIONS, key), (LINKS, key)];
        let places = if found.is_empty() { &places[..1] } else { &places };
        let mut seen = self.store.read_each(places).await.into_iter();
        let record = seen.next().transpose()?.flatten();
        store::update_seen(&*self.store, (SESSIONS, key), record, |record: Option<Record>| {
            let mut record = record.unwrap_or_default();
            record.taint = record.taint.with(bits);
            record.denials_in_a_row = 0;
            ((!record.is_blank()).then_some(record), ())
        })
        .await?;
        match seen.next() {
            Some(known) => self.learn(key, known?, &found).await,
            None => Ok(()),
        }
    }

    /// Takes in that these addresses are known from now on, beside those that were `seen`.
    async fn learn(
        &self,
        key: &str,
        seen: Option<Vec<u8>>,
        found: &[u64],
    ) -> Result<(), StoreFault> {
        let learnt =
            |known: Option<Vec<u64>>| (Some(links::joined(known.unwrap_or_default(), found)), ());
        store::update_seen(&*self.store, (LINKS, key), seen, learnt).await
    }

    /// Takes in that a person has agreed to these parameters, and so to the addresses in them.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn agreed(&self, command: &Command) -> Result<(), StoreFault> {
        let (key, found) = (key_of(command), links::within(&command.params));
        if found.is_empty() {
            return Ok(());
        }
        let seen = self.store.read(LINKS, key).await?;
        self.learn(key, seen, &found).await
    }

    /// Takes in that a person has just refused this; that it was a no is counted when the call has ended.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn refuse(
        &self,
        command: &Command,
        refused: Digest,
    ) -> Result<(), StoreFault> {
        store::update(&*self.store, SESSIONS, key_of(command), |record: Option<Record>| {
            let mut record = record.unwrap_or_default();
            record.refuse(refused);
            (Some(record), ())
        })
        .await
    }

    /// Takes in that the wall, or a person (then `refused` is what was refused), has said no. Gives the reason when that
    /// stops the session.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn denied(
        &self,
        command: &Command,
        refused: Option<Digest>,
        limits: &Limits,
    ) -> Result<Option<String>, StoreFault> {
        store::update(&*self.store, SESSIONS, key_of(command), |record: Option<Record>| {
            let mut record = record.unwrap_or_default();
            let stopped = record.deny(refused, limits);
            (Some(record), stopped)
        })
        .await
    }
}

/// The session's key, as the store has it.
pub(crate) fn key_of(command: &Command) -> &str {
    command.envelope.session.as_ref().map_or(LEGACY, SessionKey::as_str)
}

/// Action and parameters, the same bytes however the parameters are ordered.
fn canonical(command: &Command) -> Vec<u8> {
    let mut params = serde_json::Value::Object(command.params.clone());
    params.sort_all_objects();
    format!("{} {params}", command.action).into_bytes()
}

fn unusable(fault: &StoreFault) -> Stopped {
    Stopped::new(
        protocol::Code::Internal,
        format!("what is known of the session can't be used ({fault}), so nothing was run"),
    )
}
