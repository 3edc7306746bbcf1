//! What runs at this router, what ended lately and how often: for the window and for Prometheus. It is kept in memory alone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::{ActionName, Command, Millis, Outcome, Status};

use crate::session_key::key_of;

/// How many ends are remembered.
const ENDS: usize = 100;

/// How many actions are counted apart; the others have no times of their own.
const ACTIONS: usize = 128;

/// The pulse of one router. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Pulse {
    beats: Arc<Mutex<Beats>>,
}

#[derive(Debug, Default)]
pub(crate) struct Beats {
    next: u64,
    running: BTreeMap<u64, RunHere>,
    /// The latest first.
    pub(crate) ended: VecDeque<End>,
    /// How many commands have ended so.
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// How often each action ran, and for how long in all.
    pub(crate) times: BTreeMap<ActionName, (u64, Duration)>,
    /// What went wrong last with each action.
    pub(crate) failed: BTreeMap<ActionName, (Millis, String)>,
}

/// A command that runs here.
#[derive(Debug, Clone)]
pub(crate) struct RunHere {
    pub(crate) id: String,
    pub(crate) action: ActionName,
    pub(crate) session: String,
    pub(crate) since: Millis,
    begun: Instant,
}

/// A command that has ended.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) id: String,
    pub(crate) action: ActionName,
    pub(crate) session: String,
    pub(crate) at: Millis,
    pub(crate) status: &'static str,
    pub(crate) message: Option<String>,
}

/// Takes a run from the list when it is dropped.
#[derive(Debug)]
pub(crate) struct Beating {
    pulse: Pulse,
    number: u64,
}

impl Pulse {
    /// Notes that `command` runs from now on, until what this gives is dropped.
    pub(crate) fn runs(&self, command: &Command, since: Millis) -> Beating {
        let mut beats = self.beats();
        beats.next += 1;
        let number = beats.next;
        let run = RunHere {
            id: command.message_id.to_string(),
            action: command.action.clone(),
            session: key_of(command).to_owned(),
            since,
            begun: Instant::now(),
        };
        beats.running.insert(number, run);
        Beating { pulse: self.clone(), number }
    }

    /// Notes how `command` ended. `message` says why it was not done, without secrets.
    pub(crate) fn ended(
        &self,
        command: &Command,
        outcome: &Outcome,
        message: Option<String>,
        at: Millis,
    ) {
        let status = name(outcome.status());
        let mut beats = self.beats();
        *beats.counts.entry(status).or_default() += 1;
        if outcome.status() == Status::Error && beats.failed.len() < ACTIONS {
            let why = message.clone().unwrap_or_default();
            beats.failed.insert(command.action.clone(), (at, why));
        }
        beats.ended.truncate(ENDS - 1);
        beats.ended.push_front(End {
            id: command.message_id.to_string(),
            action: command.action.clone(),
            session: key_of(command).to_owned(),
            at,
            status,
            message,
        });
    }

    /// What runs, the first one first.
    pub(crate) fn running(&self) -> Vec<RunHere> {
        self.beats().running.values().cloned().collect()
    }

    /// Everything that is noted.
    // A std mutex, because it is never held across an await. Poisoned, the notes are still whole.
    pub(crate) fn beats(&self) -> MutexGuard<'_, Beats> {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Beating {
    fn drop(&mut self) {
        let mut beats = self.pulse.beats();
        let Some(run) = beats.running.remove(&self.number) else { return };
        if beats.times.len() >= ACTIONS && !beats.times.contains_key(&run.action) {
            return;
        }
        let (count, time) = beats.times.entry(run.action).or_default();
        *count += 1;
        *time += run.begun.elapsed();
    }
}

/// The status as it stands on the wire.
fn name(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Error => "error",
        Status::Denied => "denied",
        Status::Pending => "pending",
        Status::Skipped => "skipped",
        Status::Expired => "expired",
        Status::Unknown => "unknown",
        Status::Busy => "busy",
    }
}
