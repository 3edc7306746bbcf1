//! Commands of one step for the workbench: they run one after the other, for each stands on what the one before has left.

use std::collections::VecDeque;

use answer::Action;
use conversation::observation::Observation;
use drive::together;
use protocol::{Code, Status, Stopped};
use serde_json::Value;

/// The action behind every environment of the workbench.
pub(super) const WORKBENCH: &str = "WORKBENCH";

/// Those that wait for the one before.
#[derive(Debug)]
pub(crate) struct InOrder(VecDeque<Action>);

impl InOrder {
    /// Takes all but the first of the workbench's commands out of `actions`.
    pub(crate) fn out_of(actions: &mut Vec<Action>) -> Self {
        let mut is_first = true;
        let waits = |action: &mut Action| {
            action.name.as_str() == WORKBENCH && !std::mem::take(&mut is_first)
        };
        Self(actions.extract_if(.., waits).map(marked).collect())
    }

    /// What runs next, now that `seen` has ended.
    pub(crate) fn after(&mut self, seen: &Observation) -> Option<Action> {
        let is_done = seen.outcome.status() == Status::Ok;
        (is_done && seen.action.as_str() == WORKBENCH).then(|| self.0.pop_front())?
    }

    /// Those that will not run, because `seen` has not.
    pub(crate) fn left_by(&mut self, seen: &Observation) -> Vec<Observation> {
        let is_done = seen.outcome.status() == Status::Ok;
        if is_done || seen.action.as_str() != WORKBENCH {
            return Vec::new();
        }
        let why = "not run, because the command before it in the same answer has not run";
        let left = self.0.drain(..);
        left.map(|one| Observation::of_local(one.name, Err(Stopped::new(Code::Cancelled, why))))
            .collect()
    }
}

/// The model has not seen what the screen shows after the one before.
fn marked(mut action: Action) -> Action {
    if let Some(Value::String(command)) = action.params.get_mut("command") {
        *command = together(command);
    }
    action
}
