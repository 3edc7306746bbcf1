//! `scheduler.json`: all jobs.

use std::collections::BTreeSet;

use protocol::Millis;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::budget::tomorrow;
use super::{ClockBudget, ClockSpent, Due, Job, JobId, Pattern, Watch, Zone};
use document::Document;

/// How many jobs there may be.
pub const JOBS_MOST: usize = 10_000;

/// How far the clock may go back without times being calculated anew, in milliseconds.
const SLIGHTLY: u64 = 60_000;

/// How long a time that has been told counts as told though the clock went back, in milliseconds: longer than clocks change for
/// summer, shorter than what comes once a day.
const TOLD_FOR: u64 = 2 * 3_600_000;

/// All jobs, by the order in which they were made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Jobs {
    /// The number of the latest id; none is given twice.
    last: u64,
    /// The zone in which the patterns were read.
    zone: String,
    /// The latest time at which the file was written.
    seen: Millis,
    jobs: Vec<Job>,
    /// On which day since 1970 in UTC watches have asked a model last, and how often by then.
    asked: (u64, u32),
    /// What models were had do.
    spent: ClockSpent,
    /// What could not be read. It is kept as it is.
    unread: Vec<Value>,
}

impl Jobs {
    /// The jobs.
    #[must_use]
    pub fn all(&self) -> &[Job] {
        &self.jobs
    }

    /// How many entries of the file can't be read.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.unread.len()
    }

    /// When the next one is due.
    #[must_use]
    pub fn next(&self) -> Option<Millis> {
        self.jobs.iter().filter(|job| job.begun.is_none()).map(|job| job.next).min()
    }

    /// When something can be begun next. What wakes a model waits for the next day where nothing is left of `budget`.
    #[must_use]
    pub fn next_to_begin(&self, budget: ClockBudget, now: Millis) -> Option<Millis> {
        let is_over = self.spent.has_used_up(budget, now) && !self.spent.is_untold(now);
        let waiting = self.jobs.iter().filter(|job| job.begun.is_none());
        let at = |job: &Job| match job.wakes_a_model() && is_over {
            true => job.next.max(tomorrow(now)),
            false => job.next,
        };
        waiting.map(at).min()
    }

    /// What models were had do.
    #[must_use]
    pub fn spent(&self) -> ClockSpent {
        self.spent
    }

    /// Models have read and written so much for the clock.
    pub(super) fn took(&mut self, tokens: u64, now: Millis) {
        self.spent.take(tokens, now);
    }

    /// The id for a new job.
    pub(super) fn new_id(&mut self) -> JobId {
        let highest = self.jobs.iter().filter_map(|job| job.id.number()).max().unwrap_or_default();
        self.last = self.last.max(highest).saturating_add(1);
        JobId::numbered(self.last)
    }

    /// Adds one; `false` when there are too many.
    pub(super) fn add(&mut self, job: Job) -> bool {
        let has_room = self.jobs.len() < JOBS_MOST;
        if has_room {
            self.jobs.push(job);
        }
        has_room
    }

    /// Takes a job out. Its id counts in any case, and its number alone is enough.
    pub(super) fn cancel(&mut self, id: &str) -> Option<Job> {
        let is_it = |job: &Job| {
            let known = job.id.as_str();
            known.eq_ignore_ascii_case(id) || known.strip_prefix("job-") == Some(id)
        };
        let at = self.jobs.iter().position(is_it)?;
        Some(self.jobs.remove(at))
    }

    /// Whether the zone and the clock are as they were.
    fn is_settled(&self, seen: Millis, now: Millis, zone: &Zone) -> bool {
        let is_back = now.0.saturating_add(SLIGHTLY) < seen.0.max(self.seen.0);
        self.zone == zone.name() && !is_back
    }

    /// Whether an agent that starts finds nothing to do here: all times hold, and nothing had begun.
    pub(super) fn are_at_rest(&self, now: Millis, zone: &Zone) -> bool {
        let is_settled = self.jobs.is_empty() || self.is_settled(Millis(0), now, zone);
        is_settled && self.jobs.iter().all(|job| job.begun.is_none())
    }

    /// Calculates anew when patterns come next, if their zone or the clock has changed. `seen` is the latest time that is known.
    pub(super) fn settle(&mut self, seen: Millis, now: Millis, zone: &Zone) {
        if self.is_settled(seen, now, zone) {
            return;
        }
        self.zone = zone.name().to_owned();
        self.seen = now;
        for job in self.jobs.iter_mut().filter(|job| job.begun.is_none()) {
            let Some(pattern) = pattern(job).filter(|_| job.next > now) else { continue };
            // What was just told is not told again because a clock was put back for an hour.
            let told = job.told.filter(|told| *told > now && told.0 - now.0 <= TOLD_FOR);
            if let Some(next) = pattern.next_after(told.unwrap_or(now), zone) {
                job.next = next;
            }
        }
    }

    /// Marks as begun what is due at `now`, and gives it, the earliest first.
    ///
    /// What wakes a model waits for the next day where nothing is left of `budget`, and people are told so, once.
    pub(super) fn begin_due(&mut self, now: Millis, zone: &Zone, budget: ClockBudget) -> Vec<Due> {
        self.seen = self.seen.max(now);
        let (mut due, mut is_short) = (Vec::new(), false);
        for job in self.jobs.iter_mut().filter(|job| job.begun.is_none() && job.next <= now) {
            if job.wakes_a_model() && !self.spent.wake(budget, now) {
                is_short = true;
                continue;
            }
            let pattern = pattern(job);
            due.push(job.due(pattern.as_ref(), now, zone));
            (job.begun, job.told) = (Some(now), job.cron.is_some().then_some(now));
            if let Some(next) = pattern.and_then(|pattern| pattern.next_after(now, zone)) {
                job.next = next;
            }
        }
        due.sort_by_key(|due| due.at);
        if is_short && self.spent.is_news(now) {
            due.push(Due::notice(
                used_up(self.spent, budget, &zone.words(tomorrow(now), now)),
                now,
            ));
        }
        due
    }

    /// What had begun when the agent ended. A look can be taken again, so only what a watch has found is told.
    pub(super) fn unfinished(&mut self, now: Millis, zone: &Zone) -> Vec<Due> {
        let mut due = Vec::new();
        for job in self.jobs.iter_mut().filter(|job| job.begun.is_some()) {
            match (job.found(), job.watch.is_some()) {
                (Some(found), _) => due.push(found),
                (None, true) => job.begun = None,
                (None, false) => due.push(job.unfinished(now, zone)),
            }
        }
        due
    }

    /// Takes in how the watch of a job is after a look; `false` if there is no such job any more.
    pub(super) fn looked(&mut self, id: &JobId, watch: Watch) -> bool {
        let job = self.jobs.iter_mut().find(|job| job.id == *id);
        job.map(|job| job.watch = Some(watch)).is_some()
    }

    /// Counts one more question to a model on the day of `now`.
    ///
    /// # Errors
    /// The settings that forbid it: there were `most` that day already, or nothing is left of `budget`.
    pub(super) fn may_ask(
        &mut self,
        most: u32,
        budget: ClockBudget,
        now: Millis,
    ) -> Result<(), &'static str> {
        let (day, (last, count)) = (now.0 / 86_400_000, self.asked);
        let count = if last == day { count } else { 0 };
        if count >= most {
            return Err("clock.questions");
        }
        if !self.spent.wake(budget, now) {
            return Err("clock.wakes or clock.tokens");
        }
        self.asked = (day, count.saturating_add(1));
        Ok(())
    }

    /// Takes in that these are told or done: what comes once is over.
    pub(super) fn finish(&mut self, ids: &[JobId]) {
        let is_done = |job: &Job| job.begun.is_some() && ids.contains(&job.id);
        self.jobs.retain(|job| job.cron.is_some() || !is_done(job));
        for job in self.jobs.iter_mut().filter(|job| is_done(job)) {
            job.begun = None;
            // A look that found nothing told nothing.
            let was_said = job.watch.as_mut().is_none_or(|watch| watch.news.take().is_some());
            job.unheard = job.unheard.filter(|_| !was_said);
        }
    }

    /// Takes in that nobody has these, nor will: what comes again goes on, and what comes once is told at the next start.
    pub(super) fn unheard(&mut self, ids: &[JobId]) {
        let again = self.jobs.iter().filter(|job| job.cron.is_some() && ids.contains(&job.id));
        let again: Vec<(JobId, Option<Millis>)> =
            again.map(|job| (job.id.clone(), job.begun)).collect();
        for (id, at) in again {
            self.finish(std::slice::from_ref(&id));
            if let Some(job) = self.jobs.iter_mut().find(|job| job.id == id) {
                job.unheard = at.or(job.unheard);
            }
        }
    }

    /// Takes in that these were not begun after all: they are due as they were. What a watch has found stays begun, so that it
    /// is told at the next start, and not looked for again where it is no change any more.
    pub(super) fn put_back(&mut self, due: &[Due]) {
        for due in due {
            let is_its = |job: &&mut Job| job.id == due.id && job.found().is_none();
            if let Some(job) = self.jobs.iter_mut().find(is_its) {
                (job.begun, job.next) = (None, due.at);
            }
        }
    }
}

/// That models do nothing more for the clock before `until`.
fn used_up(spent: ClockSpent, budget: ClockBudget, until: &str) -> String {
    format!(
        "The clock has woken a model {} times today and had it read and write {} tokens, of {} times and {} tokens \
         (clock.wakes, clock.tokens). What a model is to do waits until {until}; reminders come.",
        spent.wakes, spent.tokens, budget.wakes, budget.tokens
    )
}

/// The pattern of a job that comes again.
fn pattern(job: &Job) -> Option<Pattern> {
    job.cron.as_deref().and_then(|cron| Pattern::parse(cron).ok())
}

/// Whether the pattern of a job, if it has one, can be read. Those that can are in `readable` from then on.
fn is_readable(job: &Job, readable: &mut BTreeSet<String>) -> bool {
    let Some(cron) = &job.cron else { return true };
    readable.contains(cron) || (pattern(job).is_some() && readable.insert(cron.clone()))
}

impl Document for Jobs {
    const LIMIT: u64 = 128 * 1024 * 1024;

    fn from_text(text: &str, left_out: &mut Vec<String>) -> Result<Self, String> {
        let mut file: protocol::Object = document::json(text)?;
        let list = match file.remove("jobs") {
            None => Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => return Err("jobs is no list".to_owned()),
        };
        let mut jobs = Self {
            last: file.get("last").and_then(Value::as_u64).unwrap_or_default(),
            zone: file.get("zone").and_then(Value::as_str).unwrap_or_default().to_owned(),
            seen: Millis(file.get("seen").and_then(Value::as_u64).unwrap_or_default()),
            asked: file
                .remove("asked")
                .and_then(|it| serde_json::from_value(it).ok())
                .unwrap_or_default(),
            spent: file
                .remove("spent")
                .and_then(|it| serde_json::from_value(it).ok())
                .unwrap_or_default(),
            ..Self::default()
        };
        // A pattern takes as long to read as ten jobs, and many jobs share one.
        let mut readable = BTreeSet::new();
        for value in list {
            match Job::deserialize(&value) {
                Ok(job) if is_readable(&job, &mut readable) => jobs.jobs.push(job),
                Ok(job) => {
                    left_out.push(format!("{} has no cron pattern that can be read", job.id));
                    jobs.unread.push(value);
                }
                Err(error) => {
                    left_out.push(format!("a job can't be read, and is kept as it is: {error}"));
                    jobs.unread.push(value);
                }
            }
        }
        Ok(jobs)
    }

    fn to_text(&self) -> String {
        // Jobs always have a JSON form. One line each: there may be thousands.
        let jobs = self.jobs.iter().filter_map(|job| serde_json::to_string(job).ok());
        let unread = self.unread.iter().map(Value::to_string);
        let jobs: Vec<String> = jobs.chain(unread).map(|job| format!("    {job}")).collect();
        let (last, zone, seen) = (self.last, json!(self.zone), self.seen.0);
        let asked = match self.asked {
            (0, 0) => String::new(),
            (day, count) => format!("\n  \"asked\": [{day}, {count}],"),
        };
        let spent = match self.spent == ClockSpent::default() {
            true => String::new(),
            false => format!("\n  \"spent\": {},", json!(self.spent)),
        };
        let jobs =
            if jobs.is_empty() { String::new() } else { format!("\n{}\n  ", jobs.join(",\n")) };
        format!(
            "{{\n  \"last\": {last},\n  \"zone\": {zone},\n  \"seen\": {seen},{asked}{spent}\n  \"jobs\": [{jobs}]\n}}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use protocol::{ActionName, Object, Principal, Taint};

    use super::*;

    const HOUR: u64 = 3_600_000;
    const DAY: u64 = 24 * HOUR;

    fn job(jobs: &mut Jobs, text: &str, next: u64, cron: Option<&str>) -> JobId {
        let id = jobs.new_id();
        let job = Job {
            id: id.clone(),
            text: text.to_owned(),
            next: Millis(next),
            cron: cron.map(str::to_owned),
            is_agentic: false,
            by: Principal::new("console:owner").unwrap(),
            is_models: false,
            made: Millis(0),
            bits: Taint::CLEAN,
            typed: Vec::new(),
            begun: None,
            told: None,
            unheard: None,
            watch: None,
            more: protocol::Object::new(),
        };
        assert!(jobs.add(job));
        id
    }

    fn due(jobs: &mut Jobs, now: u64) -> Vec<String> {
        jobs.begin_due(Millis(now), &Zone::utc(), ClockBudget::ENDLESS)
            .into_iter()
            .map(|due| due.text)
            .collect()
    }

    fn again(jobs: &Jobs) -> Jobs {
        let mut left_out = Vec::new();
        let read = Jobs::from_text(&jobs.to_text(), &mut left_out).unwrap();
        assert_eq!((&read, left_out.as_slice()), (jobs, &[] as &[String]));
        read
    }

    #[test]
    fn what_has_begun_is_not_begun_again_also_after_a_kill() {
        let mut jobs = Jobs::default();
        let id = job(&mut jobs, "tea", 2_000, None);
        assert_eq!(due(&mut jobs, 1_999), [""; 0]);
        assert_eq!(due(&mut jobs, 2_000), ["Reminder: tea"]);
        // A kill: what stands in the file is all that is left.
        let mut jobs = again(&jobs);
        assert_eq!(due(&mut jobs, 3_000), [""; 0]);
        let told = jobs.unfinished(Millis(3_000), &Zone::utc());
        assert_eq!(
            told[0].text,
            "job-1 may not have reached you, because SafeClaw ended at 00:00:02 today: tea"
        );
        assert!(told[0].is_report && !told[0].is_agentic);
        jobs.finish(&[id]);
        assert!(again(&jobs).all().is_empty());
    }

    #[test]
    fn what_was_missed_is_told_once_with_the_count() {
        let mut jobs = Jobs::default();
        job(&mut jobs, "tea", 9 * HOUR, None);
        let daily = job(&mut jobs, "stand-up", 9 * HOUR, Some("0 9 * * *"));
        let now = 3 * DAY + 10 * HOUR;
        assert_eq!(
            due(&mut jobs, now),
            [
                "Reminder: tea (it was due on Thu 1 Jan at 09:00)",
                "Reminder: stand-up (it was due 4 times, last at 09:00 today)"
            ]
        );
        jobs.finish(&[daily]);
        assert_eq!(due(&mut jobs, now), [""; 0]);
        assert_eq!(jobs.all()[1].next, Millis(4 * DAY + 9 * HOUR));
    }

    #[test]
    fn what_comes_again_and_reached_nobody_is_listed_so_until_somebody_has_it() {
        let mut jobs = Jobs::default();
        let daily = job(&mut jobs, "tea", 9 * HOUR, Some("0 9 * * *"));
        let line = |jobs: &Jobs, now| again(jobs).all()[0].line(Millis(now), &Zone::utc());
        for day in 0..2 {
            let nine = day * DAY + 9 * HOUR;
            assert_eq!(due(&mut jobs, nine), ["Reminder: tea"], "each time is tried");
            jobs.unheard(std::slice::from_ref(&daily));
            let told =
                "[job-1] 0 9 * * * | tomorrow at 09:00 | tea | reached nobody at 09:00 today";
            assert_eq!(line(&jobs, nine), told);
        }
        due(&mut jobs, 2 * DAY + 9 * HOUR);
        jobs.finish(&[daily]);
        assert_eq!(line(&jobs, 3 * DAY), "[job-1] 0 9 * * * | at 09:00 today | tea");
    }

    #[test]
    fn a_simulated_week_says_everything_once() {
        let zone = Zone::named("Europe/Berlin").unwrap();
        let mut jobs = Jobs::default();
        // From Monday, 26 October 2026, a day after clocks were put back.
        let monday = 1_792_969_200_000;
        job(&mut jobs, "weekdays", monday, Some("0 9 * * 1-5"));
        job(&mut jobs, "hourly", monday, Some("0 * * * *"));
        job(&mut jobs, "once", monday + 3 * DAY, None);
        jobs.settle(Millis(0), Millis(monday - 1), &zone);
        let mut said = std::collections::BTreeMap::<String, u32>::new();
        for minute in 0..7 * 24 * 60 {
            let due = jobs.begin_due(Millis(monday + minute * 60_000), &zone, ClockBudget::ENDLESS);
            let ids: Vec<JobId> = due.iter().map(|due| due.id.clone()).collect();
            due.into_iter().for_each(|due| *said.entry(due.text).or_default() += 1);
            jobs.finish(&ids);
        }
        let said: Vec<(String, u32)> = said.into_iter().collect();
        let expected =
            [("Reminder: hourly", 168), ("Reminder: once", 1), ("Reminder: weekdays", 5)];
        assert_eq!(said, expected.map(|(text, count)| (text.to_owned(), count)));
    }

    #[test]
    fn a_clock_that_was_wrong_holds_nothing_up_and_tells_nothing_twice() {
        let zone = Zone::utc();
        let mut jobs = Jobs::default();
        let daily = job(&mut jobs, "stand-up", 9 * HOUR, Some("0 9 * * *"));
        // The clock jumps a year ahead, and a day later back.
        assert_eq!(due(&mut jobs, 365 * DAY + 10 * HOUR).len(), 1);
        jobs.finish(std::slice::from_ref(&daily));
        jobs.settle(Millis(0), Millis(DAY), &zone);
        assert_eq!(jobs.all()[0].next, Millis(DAY + 9 * HOUR), "not in a year");
        assert_eq!(due(&mut jobs, DAY + 9 * HOUR), ["Reminder: stand-up"]);
        jobs.finish(&[daily]);
        // And an hour back, right after it was told.
        jobs.settle(Millis(0), Millis(DAY + 8 * HOUR), &zone);
        assert_eq!(due(&mut jobs, DAY + 9 * HOUR), [""; 0], "it was told an hour ago");
    }

    #[test]
    fn once_the_budget_is_used_up_models_wait_for_the_next_day_and_people_hear_it_once() {
        let budget = ClockBudget { wakes: 2, tokens: 100 };
        let mut jobs = Jobs::default();
        let hourly = job(&mut jobs, "sum up", HOUR, Some("0 * * * *"));
        let once = job(&mut jobs, "tidy", 2 * HOUR, None);
        jobs.jobs.iter_mut().for_each(|job| job.is_agentic = true);
        job(&mut jobs, "tea", 3 * HOUR, Some("0 * * * *"));
        let due = |jobs: &mut Jobs, now| -> Vec<String> {
            let due = jobs.begin_due(Millis(now), &Zone::utc(), budget);
            jobs.finish(&due.iter().map(|due| due.id.clone()).collect::<Vec<_>>());
            due.into_iter().map(|due| due.text).collect()
        };
        assert_eq!(due(&mut jobs, HOUR), ["sum up"]);
        assert_eq!(jobs.next_to_begin(budget, Millis(HOUR)), Some(Millis(2 * HOUR)));
        let two = due(&mut jobs, 2 * HOUR);
        assert_eq!(two[0], "sum up");
        assert!(two[1].contains("woken a model 2 times today") && two.len() == 2, "{two:?}");
        assert!(two[1].contains("waits until") && two[1].contains("00:00"), "{two:?}");
        // A kill: what stands in the file is all that is left.
        let mut jobs = again(&jobs);
        assert_eq!(jobs.next_to_begin(budget, Millis(2 * HOUR)), Some(Millis(3 * HOUR)));
        assert_eq!(due(&mut jobs, 3 * HOUR), ["Reminder: tea"]);
        assert_eq!(jobs.next_to_begin(budget, Millis(23 * HOUR + 1)), Some(Millis(4 * HOUR)));
        let morning = due(&mut jobs, DAY);
        assert!(
            morning.iter().any(|text| text.starts_with("sum up (it was due 22 times")),
            "{morning:?}"
        );
        assert!(morning.iter().any(|text| text.starts_with("tidy (it was due")), "{morning:?}");
        assert!(
            jobs.all().iter().all(|job| job.id != once)
                && jobs.all().iter().any(|job| job.id == hourly)
        );
    }

    #[test]
    fn tokens_and_the_questions_of_watches_are_of_the_same_budget() {
        let budget = ClockBudget { wakes: 2, tokens: 100 };
        let mut jobs = Jobs::default();
        assert_eq!(jobs.may_ask(1, budget, Millis(0)), Ok(()));
        assert_eq!(jobs.may_ask(1, budget, Millis(0)), Err("clock.questions"));
        assert_eq!(jobs.may_ask(9, budget, Millis(0)), Ok(()));
        assert_eq!(jobs.may_ask(9, budget, Millis(0)), Err("clock.wakes or clock.tokens"));
        assert_eq!(again(&jobs).may_ask(9, budget, Millis(DAY)), Ok(()), "another day");
        jobs.took(99, Millis(DAY));
        assert_eq!(jobs.may_ask(9, budget, Millis(DAY)), Ok(()));
        jobs.took(1, Millis(DAY));
        assert!(jobs.may_ask(9, budget, Millis(DAY)).is_err());
        assert_eq!((jobs.spent().wakes, jobs.spent().tokens), (1, 100));
    }

    #[test]
    fn what_was_not_begun_after_all_is_due_as_it_was() {
        let mut jobs = Jobs::default();
        job(&mut jobs, "stand-up", 9 * HOUR, Some("0 9 * * *"));
        let late = jobs.begin_due(Millis(2 * DAY + 10 * HOUR), &Zone::utc(), ClockBudget::ENDLESS);
        jobs.put_back(&late);
        let again = jobs.begin_due(Millis(2 * DAY + 10 * HOUR), &Zone::utc(), ClockBudget::ENDLESS);
        assert_eq!(again, late);
    }

    #[test]
    fn what_a_watch_has_found_is_not_looked_for_again_but_told() {
        let mut jobs = Jobs::default();
        let id = job(&mut jobs, "the price", 9 * HOUR, Some("0 9 * * *"));
        let watch = Watch::new(ActionName::new("LOOK").unwrap(), Object::new(), None, "");
        jobs.jobs[0].watch = Some(watch.clone());
        let due = jobs.begin_due(Millis(9 * HOUR), &Zone::utc(), ClockBudget::ENDLESS);
        assert!(jobs.looked(&id, Watch { news: Some("It fell.".to_owned()), ..watch }));
        jobs.put_back(&due);
        let mut jobs = again(&jobs);
        assert_eq!(jobs.begin_due(Millis(9 * HOUR), &Zone::utc(), ClockBudget::ENDLESS), []);
        let told = jobs.unfinished(Millis(10 * HOUR), &Zone::utc());
        assert_eq!(told.iter().map(|due| due.text.as_str()).collect::<Vec<_>>(), ["It fell."]);
    }

    #[test]
    fn ids_are_given_once_and_the_number_alone_cancels() {
        let mut jobs = Jobs::default();
        job(&mut jobs, "a", 1, None);
        job(&mut jobs, "b", 1, None);
        assert_eq!(jobs.cancel("2").unwrap().text, "b");
        assert_eq!(jobs.cancel("JOB-1").unwrap().text, "a");
        assert!(jobs.cancel("job-1").is_none() && jobs.cancel("").is_none());
        assert_eq!(job(&mut again(&jobs), "c", 1, None).as_str(), "job-3");
    }

    #[test]
    fn what_a_hand_has_broken_is_kept_and_hides_nothing_else() {
        let text = r#"{"jobs": [{"id": "job-7", "text": "tea", "next": 1, "by": "console:owner", "made": 0, "mine": 1},
            {"id": "job-8"}, "x", {"id": "job-9", "text": "x", "next": 1, "by": "console:owner", "made": 0, "cron": "99"}]}"#;
        let mut left_out = Vec::new();
        let jobs = Jobs::from_text(text, &mut left_out).unwrap();
        assert_eq!((jobs.all().len(), jobs.unread(), left_out.len()), (1, 3, 3));
        let written = jobs.to_text();
        for kept in [r#""mine":1"#, r#"{"id":"job-8"}"#, r#""cron":"99""#] {
            assert!(written.contains(kept), "{written}");
        }
    }

    #[test]
    fn there_is_room_for_ten_thousand() {
        let mut jobs = Jobs::default();
        (0..JOBS_MOST).for_each(|_| drop(job(&mut jobs, "x", 1, None)));
        let more = Job { id: jobs.new_id(), ..jobs.all()[0].clone() };
        assert!(!jobs.add(more));
        again(&jobs);
    }
}
