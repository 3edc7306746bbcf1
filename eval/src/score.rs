//! Judges an answer: right is exactly what is expected, and nothing else.

use answer::Action;

use crate::cards::Actions;
use crate::expect::Expected;
use crate::utterance::Utterance;

/// Whether `actions` are right: as many as are expected, each with the name and the parameters that are expected of it
/// and that its schema takes; in their order, if it matters.
#[must_use]
pub fn is_right(utterance: &Utterance, actions: &[Action], known: &Actions) -> bool {
    let valid = |action: &Action| known.take(action.name.as_str(), &action.params);
    let as_many = actions.len() == utterance.expect.len();
    as_many && actions.iter().all(valid) && are_those(utterance, actions)
}

fn are_those(utterance: &Utterance, actions: &[Action]) -> bool {
    if utterance.ordered {
        return utterance.expect.iter().zip(actions).all(|(expected, action)| is(expected, action));
    }
    let mut left: Vec<&Action> = actions.iter().collect();
    utterance.expect.iter().all(|expected| {
        let found = left.iter().position(|action| is(expected, action));
        found.map(|place| left.swap_remove(place)).is_some()
    })
}

fn is(expected: &Expected, action: &Action) -> bool {
    expected.fits(action.name.as_str(), &action.params)
}
