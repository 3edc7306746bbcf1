//! An action that runs, as people see it: that it has begun, how it ended, or that it was stopped.

use std::sync::Arc;

use protocol::Status;

use crate::config;
use crate::message::{ActionLine, Outgoing};
use crate::mind::Mind;
use crate::observation::{Observation, spoken};
use crate::session::{Caller, Outbox};
use crate::workspace::Cards;
use answer::Action;

/// Runs one action of those that `cards` offer, and says what becomes of it, also when it is dropped before its end.
pub(crate) async fn run(
    mind: &Mind,
    outbox: &Outbox,
    caller: &Caller,
    action: Action,
    cards: &[Arc<Cards>; 2],
) -> Observation {
    let what = if mind.by_name { action.name.to_string() } else { spoken(&action.name) };
    outbox.say(Outgoing::Working(format!("{what} is running")));
    let stopped = Observation::stopped(&action.name, mind.by_name, config::words());
    let mut running = Running { outbox, stopped: Some(stopped) };
    let observation = mind.actions.run(action, caller, cards).await;
    running.stopped = None;
    outbox.say(Outgoing::Action(observation.ended(mind.by_name)));
    if !matches!(observation.outcome.status(), Status::Ok | Status::Pending) {
        outbox.say(Outgoing::Failed);
    }
    if let Some(question) = observation.question() {
        outbox.say(Outgoing::Question(question));
    }
    observation
}

/// Says `stopped` if it is dropped while that is still true.
struct Running<'a> {
    outbox: &'a Outbox,
    stopped: Option<ActionLine>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(stopped) = self.stopped.take() {
            self.outbox.say(Outgoing::Action(stopped));
        }
    }
}
