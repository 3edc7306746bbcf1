//! `/cancel`: stops the turn that runs.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Ends, Perform, Read};

#[derive(Debug)]
struct Cancel;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Cancel))
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
