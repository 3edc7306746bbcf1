//! The jobs as the agent uses them: one file, one zone, one clock.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use protocol::{Millis, Principal, Taint};
use tokio::sync::Notify;

use super::{ClockBudget, ClockSpent, Due, Job, JobId, Jobs, Watch, When, Zone};
use answer::sanitize::one_line;
use document::{Clock, File, Notices, SaveError};

/// How long one sleep is at most. The time that a machine was suspended is no time for a sleep, so the clock is looked at
/// again after this.
const SLEEP_MOST: Duration = Duration::from_secs(10);

/// All jobs of one agent.
#[derive(Debug)]
pub struct Book {
    file: File<Jobs>,
    zone: Zone,
    clock: Clock,
    changed: Notify,
    /// The latest time that was looked at, to see when the clock goes back.
    seen: AtomicU64,
    /// Whether this process tells what is due; else it only keeps jobs for one that will.
    tells: bool,
    /// What models may be had do.
    budget: ClockBudget,
}

/// What a new job is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// What is said, or what the model is told to do.
    pub text: String,
    /// When.
    pub when: When,
    /// Whether the model is told; else people are.
    pub is_agentic: bool,
    /// In whose turn it is made.
    pub by: Principal,
    /// Whether the model makes it.
    pub is_models: bool,
    /// The trust bits of the turn that makes it.
    pub bits: Taint,
    /// The addresses in it that the person has typed.
    pub typed: Vec<String>,
    /// What it looks at first.
    pub watch: Option<Watch>,
}

/// A job that was added.
#[derive(Debug)]
pub struct Added {
    /// The job.
    pub job: Job,
    /// Why it is kept in memory alone, if it is.
    pub unsaved: Option<SaveError>,
}

/// Why a job was not added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// There are too many.
    #[error(
        "there are {} jobs already; /jobs lists them, and /cancel ID takes one back",
        super::JOBS_MOST
    )]
    Full,
    /// Nothing would be said or done.
    #[error("say what is to be said or done then")]
    NoText,
    /// Nobody reads that.
    #[error("the text is too long: at most {TEXT_MOST} characters")]
    TooLong,
}

/// How long the text of a job may be, in characters: what fits into one message of Telegram's with some words around it.
const TEXT_MOST: usize = 3_800;

impl NewJob {
    /// Whether its text can be said.
    ///
    /// # Errors
    /// [`BookError`].
    pub fn check(&self) -> Result<(), BookError> {
        let text = self.text.trim();
        if text.is_empty() || text.contains('\0') {
            return Err(BookError::NoText);
        }
        if text.chars().count() > TEXT_MOST { Err(BookError::TooLong) } else { Ok(()) }
    }
}

impl Book {
    /// The jobs in the file at `path`, which leaves `notices`, in this zone and by this clock. `tells` says whether this process
    /// tells what is due.
    #[must_use]
    pub fn open(path: PathBuf, notices: &Notices, zone: Zone, clock: Clock, tells: bool) -> Self {
        let file = File::new(path, notices);
        let seen = AtomicU64::new(clock.now().0);
        let (changed, budget) = (Notify::new(), ClockBudget::ENDLESS);
        Self { file, zone, clock, changed, seen, tells, budget }
    }

    /// The same, which has models do no more than this in a day.
    #[must_use]
    pub fn with_budget(self, budget: ClockBudget) -> Self {
        Self { budget, ..self }
    }

    /// What models were had do today, and what they may be had do in a day.
    #[must_use]
    pub fn spent(&self) -> (ClockSpent, ClockBudget) {
        (self.jobs().spent().on(self.now()), self.budget)
    }

    /// Models have read and written so many tokens for a job or a watch.
    pub fn took(&self, tokens: u64) {
        let now = self.now();
        self.saved(|jobs| jobs.took(tokens, now));
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// The zone that times are read and shown in.
    #[must_use]
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Whether this process tells what is due.
    #[must_use]
    pub fn tells(&self) -> bool {
        self.tells
    }

    /// What people should know of a job that they make here, if anything.
    #[must_use]
    pub fn remark(&self) -> Option<&'static str> {
        (!self.tells).then_some("it is told while SafeClaw runs, which ends now")
    }

    /// All jobs.
    #[must_use]
    pub fn jobs(&self) -> Arc<Jobs> {
        self.file.read()
    }

    /// Adds a job. It waits for the disk.
    ///
    /// # Errors
    /// [`BookError`]; then there is no such job.
    pub fn add(&self, new: NewJob) -> Result<Added, BookError> {
        new.check()?;
        let text = new.text.trim();
        // A line that begins with `Reminder:` is only said when a job is due.
        let text = if new.is_agentic { text.to_owned() } else { one_line(text) };
        let now = self.now();
        let (next, cron) = match &new.when {
            When::Once(at) => (*at, None),
            When::Again(pattern) => {
                let next = pattern.next_after(now, &self.zone).unwrap_or(now);
                (next, Some(pattern.as_str().to_owned()))
            }
        };
        let add = |jobs: &mut Jobs| {
            jobs.settle(Millis(0), now, &self.zone);
            let job = Job {
                id: jobs.new_id(),
                text,
                next,
                cron,
                is_agentic: new.is_agentic,
                by: new.by,
                is_models: new.is_models,
                made: now,
                bits: new.bits,
                typed: new.typed,
                begun: None,
                told: None,
                unheard: None,
                watch: new.watch,
                more: protocol::Object::new(),
            };
            if jobs.add(job.clone()) { Ok(job) } else { Err(BookError::Full) }
        };
        let (job, saved) = self.file.change(add)?;
        self.changed.notify_one();
        Ok(Added { job, unsaved: saved.err() })
    }

    /// Takes a job back, and gives it; `None` when there is none of this id. It waits for the disk.
    ///
    /// # Errors
    /// [`SaveError`]: it is taken back until the agent ends.
    pub fn cancel(&self, id: &str) -> Result<Option<Job>, SaveError> {
        let (job, saved) = self.change(|jobs| jobs.cancel(id));
        self.changed.notify_one();
        saved.map(|()| job)
    }

    /// How long nothing is due, at most ten seconds; `None` when there is no job.
    #[must_use]
    pub fn wait(&self) -> Option<Duration> {
        let now = self.now();
        let next = self.jobs().next_to_begin(self.budget, now)?;
        Some(next.since(now).min(SLEEP_MOST))
    }

    /// Waits until jobs were added or cancelled.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Marks what is due as begun, on the disk, and gives it. It waits for the disk only if something is due.
    pub fn begin_due(&self) -> Vec<Due> {
        let now = self.now();
        let seen = Millis(self.seen.swap(now.0, Ordering::Relaxed));
        let is_back = now < seen;
        let next = self.jobs().next_to_begin(self.budget, now);
        if !is_back && next.is_none_or(|next| next > now) {
            return Vec::new();
        }
        let begin = |jobs: &mut Jobs| {
            jobs.settle(seen, now, &self.zone);
            jobs.begin_due(now, &self.zone, self.budget)
        };
        self.saved(begin)
    }

    /// What had begun when an agent ended here, after times were calculated anew if the clock or the zone has changed since.
    pub fn unfinished(&self) -> Vec<Due> {
        let now = self.now();
        if self.jobs().are_at_rest(now, &self.zone) {
            return Vec::new();
        }
        self.saved(|jobs| {
            if !jobs.all().is_empty() {
                jobs.settle(Millis(0), now, &self.zone);
            }
            jobs.unfinished(now, &self.zone)
        })
    }

    /// Takes in how the watch of a job is after a look, on the disk; `false` if there is no such job any more.
    pub fn looked(&self, id: &JobId, watch: Watch) -> bool {
        self.saved(|jobs| jobs.looked(id, watch))
    }

    /// Counts one more question of a watch to a model.
    ///
    /// # Errors
    /// The settings that forbid it: there were `most` today already, by UTC, or nothing is left of the budget.
    pub fn may_ask(&self, most: u32) -> Result<(), &'static str> {
        let (now, budget) = (self.now(), self.budget);
        self.saved(|jobs| jobs.may_ask(most, budget, now))
    }

    /// Takes in that these are told or done.
    pub fn finish(&self, ids: &[JobId]) {
        self.saved(|jobs| jobs.finish(ids));
    }

    /// Takes in that nobody has these, nor will: what comes again goes on, and what comes once is told at the next start.
    pub fn unheard(&self, ids: &[JobId]) {
        self.saved(|jobs| jobs.unheard(ids));
    }

    /// Takes in that these were not begun after all: they are due as they were.
    pub fn put_back(&self, due: &[Due]) {
        self.saved(|jobs| jobs.put_back(due));
    }

    /// A change that counts whatever the disk says.
    fn saved<R>(&self, change: impl FnOnce(&mut Jobs) -> R) -> R {
        let (given, saved) = self.change(change);
        if let Err(error) = saved {
            tracing::warn!("{error}; what the clock has told by now is known until the agent ends");
        }
        given
    }

    fn change<R>(&self, change: impl FnOnce(&mut Jobs) -> R) -> (R, Result<(), SaveError>) {
        let sure = |jobs: &mut Jobs| Ok::<_, Infallible>(change(jobs));
        let Ok(changed) = self.file.change(sure);
        changed
    }
}
