//! An action that runs, as people see it: that it has begun, how it ended, or that it was stopped.

use std::sync::Arc;

use answer::Action;
use conversation::message::{ActionLine, Outgoing};
use conversation::observation::{Observation, spoken};
use conversation::ran::Ran;
use conversation::workspace::Cards;
use protocol::{Code, Stopped};
use session::{Caller, Outbox};

use crate::{Mind, READS_PAGES};

/// Runs one action of those that `cards` offer, and says what becomes of it, also when it is dropped before its end.
pub async fn run(
    mind: &Mind,
    outbox: &Outbox,
    caller: &Caller,
    action: Action,
    cards: &[Arc<Cards>; 2],
) -> Observation {
    let what = if mind.by_name { action.name.to_string() } else { spoken(&action.name) };
    outbox.say(Outgoing::Working(format!("{what} is running")));
    // A customer hears the answer alone.
    let is_shown = !mind.reception.is_customer(&caller.session);
    let stopped = || Observation::stopped(&action.name, mind.by_name, settings::words());
    let mut running = Running { outbox, stopped: is_shown.then(stopped) };
    let ran = Ran::of(&action);
    let observation = match not_for_customers(mind, caller, &action) {
        Some(stopped) => Observation::of_local(action.name, Err(stopped)),
        None => mind.actions.run(action, caller, cards).await,
    };
    running.stopped = None;
    let observation = match ran {
        Some(ran) => ran.told(observation, settings::words()),
        None => observation,
    };
    if is_shown {
        outbox.say(Outgoing::Action(observation.ended(mind.by_name)));
    }
    if observation.has_failed() {
        outbox.say(Outgoing::Failed);
    }
    if let Some(question) = observation.question() {
        outbox.say(Outgoing::Question(question));
    }
    observation
}

/// Why a customer is not shown the page that `action` reads, if it is none of the business's.
fn not_for_customers(mind: &Mind, caller: &Caller, action: &Action) -> Option<Stopped> {
    if action.name.as_str() != READS_PAGES || !mind.reception.is_customer(&caller.session) {
        return None;
    }
    let url = action.params.get("url").and_then(|url| url.as_str()).unwrap_or_default();
    let why = "only the pages of the business are read for customers";
    (!mind.reception.profile().allows(url)).then(|| Stopped::new(Code::Policy, why))
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
