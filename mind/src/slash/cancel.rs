//! `/cancel [ID]`: stops the turn that runs, or takes back a job of the clock.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Ends, Perform, Read};
use super::remind::OFF;
use super::table::GUESTS_CLOCK;

#[derive(Debug)]
struct Cancel;

#[derive(Debug)]
struct CancelJob(String);

pub(super) fn read(rest: &str) -> Read {
    Ok(match rest {
        "" => Arc::new(Cancel),
        id => Arc::new(CancelJob(id.to_owned())),
    })
}

#[async_trait]
impl Perform for Cancel {
    /// A turn that runs is stopped by its session's task, so that here none runs.
    async fn perform(&self, at: At<'_>) {
        at.notice("nothing runs");
    }

    fn ends(&self) -> Ends {
        Ends::Turn
    }
}

#[async_trait]
impl Perform for CancelJob {
    async fn perform(&self, at: At<'_>) {
        if !at.session.is_owners() {
            return at.notice(GUESTS_CLOCK);
        }
        let Some(book) = at.mind.book.clone() else { return at.notice(OFF) };
        let id = self.0.clone();
        match tokio::task::spawn_blocking(move || book.cancel(&id)).await {
            Ok(Ok(Some(job))) => at.text(format!("{} is cancelled: {}", job.id, job.text)),
            Ok(Ok(None)) => at.notice(format!("there is no job {}; /jobs lists them", self.0)),
            Ok(Err(error)) => at.notice(format!("it is cancelled until this chat ends: {error}")),
            Err(error) => at.notice(error.to_string()),
        }
    }
}
