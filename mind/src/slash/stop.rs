//! `/stop`: throws the router's kill switch.

use std::sync::Arc;

use async_trait::async_trait;
use session::Caller;

use super::perform::{At, Ends, Perform, Read};

#[derive(Debug)]
struct Stop;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Stop))
}

#[async_trait]
impl Perform for Stop {
    /// Nothing of the agent's can put the switch back.
    async fn perform(&self, at: At<'_>) {
        match at.mind.actions.owner.stop(&Caller::of(at.session)).await {
            Ok(()) => at.text(format!(
                "Stopped: what ran is being ended, and nothing runs any more. `{}` in a terminal where the router is \
                 lets it go on.",
                home::resume_command()
            )),
            Err(stopped) => at.notice(format!(
                "the router did not say that it has stopped: {}; end it to be sure",
                stopped.message
            )),
        }
    }

    fn ends(&self) -> Ends {
        Ends::Everything
    }
}
