//! Sandboxes that stand ready before a call: their first stage has made the namespaces, and the second waits in them to be told
//! what to run. Each is used once and thrown away, so that no call finds anything of another.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use uuid::Uuid;

use super::alive::Alive;
use super::job::Stay;
use super::planning::{self, Place};
use super::process::{Process, feed};
use super::stage::Plan;
use super::{Job, Level, SelfCommand};

/// How many stand ready once one was used.
const MOST: usize = 4;

/// How long they stand when none is used: a router that has nothing to do keeps none.
const IDLE: Duration = Duration::from_secs(30);

/// Those that stand ready.
#[derive(Debug)]
pub(super) struct Ready {
    alive: Arc<Alive>,
    waiting: Mutex<VecDeque<Prepared>>,
    /// Whether somebody is making more.
    at_work: AtomicBool,
    /// Rings when one was wanted.
    wanted: Arc<Notify>,
}

/// One sandbox that waits for its plan.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Its first stage.
    pub(super) process: Process,
    /// What its reports begin with.
    pub(super) token: String,
    /// The binary that it runs.
    exe: PathBuf,
}

impl Ready {
    /// None yet; those that come end with `alive`.
    pub(super) fn new(alive: &Arc<Alive>) -> Arc<Self> {
        Arc::new(Self {
            alive: Arc::clone(alive),
            waiting: Mutex::default(),
            at_work: AtomicBool::new(false),
            wanted: Arc::default(),
        })
    }

    /// One for `job` in `place`, if it may have one and one is there; others are made for the calls that follow.
    pub(super) fn take(self: &Arc<Self>, place: &Place, job: &Job) -> Option<Prepared> {
        if !may_stand_ready(place, job) {
            return None;
        }
        let found = self.find(place);
        self.wanted.notify_one();
        self.make_more(place.me.clone());
        found
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.waiting().len()
    }

    fn find(&self, place: &Place) -> Option<Prepared> {
        let mut waiting = self.waiting();
        while let Some(mut prepared) = waiting.pop_front() {
            // One of an older binary, or that has failed, is thrown away.
            if prepared.exe == place.me.exe && !prepared.process.life.is_over() {
                return Some(prepared);
            }
        }
        None
    }

    fn make_more(self: &Arc<Self>, me: SelfCommand) {
        if !self.at_work.swap(true, Ordering::AcqRel) {
            tokio::spawn(work(Arc::downgrade(self), me));
        }
    }

    /// Makes one more if there are too few; `false` when there are enough, or none can be made.
    async fn make(&self, me: &SelfCommand) -> bool {
        if self.waiting().len() >= MOST {
            return false;
        }
        match Prepared::new(&self.alive, me).await {
            Ok(prepared) => self.waiting().push_back(prepared),
            // The call that needs one will say why.
            Err(_) => return false,
        }
        true
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Prepared>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the first stage does depends on the job only where it has a network, or folders whose owner it becomes.
fn may_stand_ready(place: &Place, job: &Job) -> bool {
    place.level == Level::Namespaces && job.net.is_none() && job.lent.is_empty()
}

/// Makes sandboxes until there are enough, and again after each that was used, until none is wanted any more. It does not
/// keep them alive.
async fn work(ready: Weak<Ready>, me: SelfCommand) {
    loop {
        let Some(here) = ready.upgrade() else { return };
        while here.make(&me).await {}
        let wanted = Arc::clone(&here.wanted);
        drop(here);
        if tokio::time::timeout(IDLE, wanted.notified()).await.is_err() {
            break;
        }
    }
    if let Some(here) = ready.upgrade() {
        here.at_work.store(false, Ordering::Release);
        here.waiting().clear();
    }
}

impl Prepared {
    /// Starts the stages, and lets the first one do its work.
    async fn new(alive: &Alive, me: &SelfCommand) -> io::Result<Self> {
        let token = Uuid::now_v7().to_string();
        let place = Place {
            level: Level::Namespaces,
            me: me.clone(),
            folder: me.exe.clone(),
            scratch: None,
        };
        let job = planning::nothing(&me.exe);
        let plan = Plan {
            alive: alive.watched.as_raw_fd(),
            token: token.clone(),
            ..planning::plan(&place, &job, Stay::Once)
        };
        let copy = plan.copy()?;
        let mut process = Process::start(&me.exe, &planning::launch(me), None).await?;
        feed(&mut process.stdin, &copy).await;
        Ok(Self { process, token, exe: me.exe.clone() })
    }
}
