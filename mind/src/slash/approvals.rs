//! `/approvals`: shows the questions that wait, with the ways to answer them.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;

use super::perform::{At, Perform, Read};
use crate::answering;

#[derive(Debug)]
struct ShowApprovals;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(ShowApprovals))
}

#[async_trait]
impl Perform for ShowApprovals {
    async fn perform(&self, at: At<'_>) {
        match answering::open_questions(at.session, at.mind).await {
            Ok(open) if open.is_empty() => at.text("No question waits for an answer."),
            Ok(open) => open.into_iter().for_each(|open| at.outbox.say(Outgoing::Question(open))),
            Err(stopped) => at.notice(stopped.message),
        }
    }
}
