//! `/jobs`: shows what the clock will say and do, what is due next first.

use std::sync::Arc;

use async_trait::async_trait;
use schedule::{Book, Job};

use super::perform::{At, Perform, Read};
use super::remind::OFF;

/// How many are shown.
const SHOWN: usize = 50;

#[derive(Debug)]
struct ShowJobs;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(ShowJobs))
}

#[async_trait]
impl Perform for ShowJobs {
    async fn perform(&self, at: At<'_>) {
        match &at.mind.book {
            Some(book) => at.text(shown(book)),
            None => at.notice(OFF),
        }
    }
}

fn shown(book: &Book) -> String {
    let (jobs, now, zone) = (book.jobs(), book.now(), book.zone());
    let mut all: Vec<&Job> = jobs.all().iter().collect();
    all.sort_by_key(|job| job.next);
    let mut lines: Vec<String> = all.iter().take(SHOWN).map(|job| job.line(now, zone)).collect();
    if lines.is_empty() {
        return "Nothing is set. /remind 2h call Max reminds you of something.".to_owned();
    }
    let more = all.len().saturating_sub(SHOWN);
    lines.extend((more > 0).then(|| format!("... and {more} more in {}", book.path().display())));
    if jobs.unread() > 0 {
        lines.push(format!("{} more can't be read, in {}", jobs.unread(), book.path().display()));
    }
    let (spent, budget) = book.spent();
    if spent.wakes > 0 || spent.tokens > 0 || all.iter().any(|job| job.is_agentic) {
        lines.push(format!(
            "Models were woken {} of {} times today, and took {} of {} tokens (clock.wakes, clock.tokens).",
            spent.wakes, budget.wakes, spent.tokens, budget.tokens
        ));
    }
    lines.push(format!("Times are those of {}. /cancel ID takes one back.", zone.name()));
    lines.join("\n")
}
