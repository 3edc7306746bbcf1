//! `/did`: tells what was done in this session by the router's own book. Nothing of it is the model's word.

use std::sync::Arc;

use action::ActsOf;
use async_trait::async_trait;
use session::Caller;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Did;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Did))
}

#[async_trait]
impl Perform for Did {
    async fn perform(&self, at: At<'_>) {
        let acts = &at.mind.actions.owner.acts;
        match acts.lines(&Caller::of(at.session), ActsOf::Session).await {
            Ok(acts) if acts.is_empty() => at.text("Nothing was asked of the router here yet. /memory shows what is remembered, and /jobs what is to come."),
            Ok(acts) => at.text(acts.join("\n")),
            Err(stopped) => at.notice(stopped.message),
        }
    }
}
