//! What the router keeps of each session, from what it has seen itself: the trust bits, how much was asked for, what people
//! have said no to, and the addresses that stood in what the session was shown.
//!
//! An agent's word about its session may raise a bit, and never clears one.

mod links;
mod record;

use std::sync::Arc;

use protocol::{Command, Effect, Millis, Object, Reads, Stopped, Taint};

pub(crate) use record::Record;

use self::links::{KnownPlaces, Reach};
use crate::call::Call;
use crate::catalog::Skill;
use crate::digest::Digest;
use crate::policy::{Asked, Glob, Limits, Policy, WayOut};
use crate::session_key::{account_of, is_account_of, key_of, unlock_words};
use shared::{self, LINKS, SESSIONS, Store, StoreFault};

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
    /// How the call gets out of what the session knows.
    pub(crate) way_out: Option<WayOut>,
}

impl Seen {
    /// What is known of the session of a `command` that nothing is taken in of yet, if it may go on.
    ///
    /// # Errors
    /// As [`Sessions::admit`], but that nothing is counted.
    pub(crate) fn known(&self, command: &Command, digest: &Digest) -> Result<Known, Stopped> {
        let place = (SESSIONS, account_of(command));
        let record = self.record.as_ref().map_err(unusable)?.as_deref();
        let record = shared::read_seen::<Record>((place.0, &place.1), record);
        let record = record.map_err(|fault| unusable(&fault))?.unwrap_or_default();
        record.may(digest, &unlock_words(key_of(command)))?;
        Ok(Known { taint: record.taint.with(command.envelope.taint), way_out: None })
    }
}

/// What counts for every call at the moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'p> {
    /// How much a session may ask.
    pub(crate) limits: Limits,
    /// The hosts that a model may name.
    pub(crate) named: &'p [Glob],
    /// The time.
    pub(crate) now: Millis,
}

/// How a call is taken in.
#[derive(Debug, Clone, Copy)]
struct Taken<'p> {
    terms: Terms<'p>,
    /// Whether it counts as one that was asked for.
    is_counted: bool,
    /// Whether its texts are addresses, as a whole, and are gone to. Those of others are sent to a host.
    is_whole: bool,
    /// How many bits its parameters can tell a host that its skill names: it is trusted with everything but private data.
    bits: u32,
}

impl<'p> Terms<'p> {
    /// Those of `policy` at `now`.
    pub(crate) fn of(policy: &'p Policy, now: Millis) -> Self {
        Self { limits: policy.limits(), named: policy.named_hosts(), now }
    }
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
        terms: Terms<'_>,
    ) -> Result<Known, Stopped> {
        // A task at the workbench has a budget of replies, and its commands stay in the folder that the owner has opened.
        let is_work = call.skill.is_workbench();
        let is_counted = !is_work && (call.effect() != Effect::None || call.reads() != Reads::NONE);
        let is_whole = call.skill.reaches_anything();
        // Whoever lets it be seen elsewhere unasked trusts that host with every word.
        let may_come_back = shows_links(&call.skill) && call.effect() < Effect::External;
        let is_sent = || may_come_back && !links::carried(&call.command.params).is_empty();
        let links = match seen.links {
            _ if !is_whole && !is_sent() => None,
            None => Some(self.store.read(LINKS, &account_of(&call.command)).await),
            seen => seen,
        };
        let taken = Taken { terms, is_counted, is_whole, bits: Asked::from(call).bits() };
        self.take_in(&call.command, Seen { links, ..seen }, digest, taken).await
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
        terms: Terms<'_>,
    ) -> Result<Known, Stopped> {
        let taken = Taken { terms, is_counted: true, is_whole: true, bits: 0 };
        self.take_in(command, seen, digest, taken).await
    }

    async fn take_in(
        &self,
        command: &Command,
        Seen { record, links }: Seen,
        digest: &Digest,
        Taken { terms, is_counted, is_whole, bits }: Taken<'_>,
    ) -> Result<Known, Stopped> {
        let key = &account_of(command);
        let same = Digest::of(&canonical(command));
        let reach = |links| reach(command, (key, links), is_whole, terms.named);
        let reach = links.map(reach).transpose()?;
        let (place, record) = ((SESSIONS, key.as_str()), record.map_err(|fault| unusable(&fault))?);
        let taken_in =
            shared::update_seen(&*self.store, place, record, |record: Option<Record>| {
                let was_there = record.is_some();
                let mut record = record.unwrap_or_default();
                record.taint = record.taint.with(command.envelope.taint);
                let admitted = record.may(digest, &unlock_words(key_of(command))).and_then(|()| {
                    match is_counted {
                        true => record.count(&same, &terms.limits, terms.now),
                        false => Ok(()),
                    }
                });
                let way_out = match reach {
                    Some(reach) if reach.is_foreign => Some(WayOut::Address),
                    // Nobody asks what a call costs that is not admitted.
                    _ if admitted.is_err() => None,
                    reach => {
                        let words = if record.taint.private { bits } else { 0 };
                        let links = reach.map_or(0, |reach| reach.bits);
                        record.pay(words.saturating_add(links), &terms)
                    }
                };
                let taint = record.taint;
                let kept = (was_there || !record.is_blank()).then_some(record);
                (kept, admitted.map(|()| Known { taint, way_out }))
            });
        taken_in.await.map_err(|fault| unusable(&fault))?
    }

    /// Takes in that `command` has shown its session `result`.
    ///
    /// # Errors
    /// [`StoreFault`]; then the session must not be shown it.
    pub(crate) async fn shown(
        &self,
        command: &Command,
        (skill, reads): (&Skill, Reads),
        result: &Object,
    ) -> Result<(), StoreFault> {
        let bits = reads.taint();
        let key = &account_of(command);
        let is_shown = reads != Reads::NONE && shows_links(skill);
        let found = if is_shown { links::new_in(command, result) } else { Vec::new() };
        let places = [(SESSIONS, key.as_str()), (LINKS, key.as_str())];
        let places = if found.is_empty() { &places[..1] } else { &places };
        let mut seen = self.store.read_each(places).await.into_iter();
        let record = seen.next().transpose()?.flatten();
        shared::update_seen(
            &*self.store,
            (SESSIONS, key.as_str()),
            record,
            |record: Option<Record>| {
                let mut record = record.unwrap_or_default();
                record.taint = record.taint.with(bits);
                record.denials_in_a_row = 0;
                ((!record.is_blank()).then_some(record), ())
            },
        )
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
        shared::update_seen(&*self.store, (LINKS, key), seen, learnt).await
    }

    /// Takes in that a person has agreed to these parameters, and so to the addresses in them.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn agreed(&self, command: &Command) -> Result<(), StoreFault> {
        let (key, found) = (&account_of(command), links::within(&command.params));
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
        shared::update(&*self.store, SESSIONS, &account_of(command), |record: Option<Record>| {
            let mut record = record.unwrap_or_default();
            record.refuse(refused);
            (Some(record), ())
        })
        .await
    }

    /// Lets the session `key` go on, each of its accounts, and takes back what people have refused there; what has entered
    /// it stays in it. `false` when nothing is known of it.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub(crate) async fn resume(&self, key: &str) -> Result<bool, StoreFault> {
        resume(&*self.store, key).await
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
        shared::update(&*self.store, SESSIONS, &account_of(command), |record: Option<Record>| {
            let mut record = record.unwrap_or_default();
            let stopped = record.deny(refused, limits);
            (Some(record), stopped)
        })
        .await
    }
}

/// [`Sessions::resume`] in `store`.
pub(crate) async fn resume(store: &dyn Store, key: &str) -> Result<bool, StoreFault> {
    let mut found = false;
    for (account, _) in shared::list::<Record>(store, SESSIONS).await? {
        if !is_account_of(&account, key) {
            continue;
        }
        let resumed = |there: Option<Record>| {
            let was_there = there.is_some();
            let record = there.map(|mut record| {
                record.resume();
                record
            });
            (record, was_there)
        };
        found |= shared::update(store, SESSIONS, &account, resumed).await?;
    }
    Ok(found)
}

/// Whether the addresses that it brings become known. A model may have made what stays on this machine.
fn shows_links(skill: &Skill) -> bool {
    !skill.hosts.is_empty() && skill.folders.is_empty() && !skill.is_workbench()
}

/// How far `command` reaches for a session that knows `links`.
fn reach(
    command: &Command,
    (key, links): (&str, Result<Option<Vec<u8>>, StoreFault>),
    is_whole: bool,
    named: &[Glob],
) -> Result<Reach, Stopped> {
    let links = links.and_then(|links| shared::read_seen((LINKS, key), links.as_deref()));
    let links: Option<Vec<u64>> = links.map_err(|fault| unusable(&fault))?;
    let (shown, envelope) = (links.unwrap_or_default(), &command.envelope);
    let said = envelope.said.as_deref();
    // What the agent does itself, it does with its browser.
    let in_browser = command.action.is_local();
    let places = KnownPlaces { shown: &shown, typed: &envelope.typed, said, named, in_browser };
    let far = if is_whole { links::reach } else { links::sent };
    Ok(far(&command.params, &places))
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
