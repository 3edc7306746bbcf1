//! The search: every state that can be reached, the nearest first, so that a trace is as short as can be.

use std::collections::hash_map::{DefaultHasher, Entry, HashMap};
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};

use super::steps::{Model, State, Step};

/// More states than any of the models here has: a protocol that goes round in circles never ends.
const MOST: usize = 5_000_000;

/// A promise, and whether it holds in a state.
pub(crate) struct Promise {
    pub(crate) name: &'static str,
    pub(crate) holds: fn(&State) -> bool,
}

/// How a promise was broken.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) promise: &'static str,
    pub(crate) trace: String,
}

/// Looks at every state. `always` must hold in each of them, and `in_the_end` in each in which nothing is left to be
/// done. Gives how many there are.
pub(crate) fn search(
    model: &Model,
    always: &[Promise],
    in_the_end: &[Promise],
) -> Result<usize, Broken> {
    let mut level: Vec<_> = model.first().map(|state| (print(&state), state)).into();
    let mut came_from: HashMap<u64, u64> = level.iter().map(|(here, _)| (*here, 0)).collect();
    while !level.is_empty() {
        let mut next_level = Vec::new();
        for (here, state) in level {
            let mut ended = true;
            for step in model.steps(&state) {
                let next = model.after(&state, step);
                let there = print(&next);
                // A beat that finds nothing new is no step.
                ended &= step.is_chance() || there == here;
                if let Entry::Vacant(new) = came_from.entry(there) {
                    new.insert(here);
                    next_level.push((there, next));
                }
            }
            let promises = always.iter().chain(if ended { in_the_end } else { &[] });
            if let Some(broken) = promises.into_iter().find(|promise| !(promise.holds)(&state)) {
                return Err(Broken { promise: broken.name, trace: trace(model, &came_from, here) });
            }
            assert!(came_from.len() < MOST, "it goes round in circles");
        }
        level = next_level;
    }
    Ok(came_from.len())
}

/// 64 bits stand for a state: among a million of them, two alike are as likely as one in tens of millions.
fn print(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// The steps from the first state to the one with the print `there`, and that state.
fn trace(model: &Model, came_from: &HashMap<u64, u64>, there: u64) -> String {
    let mut prints = vec![there];
    while let Some(&before) =
        prints.last().and_then(|last| came_from.get(last)).filter(|at| **at != 0)
    {
        prints.push(before);
    }
    let is_first = |state: &State| prints.last() == Some(&print(state));
    let Some(mut state) = model.first().into_iter().find(is_first) else { return String::new() };
    let mut words = String::new();
    for print_of_next in prints.iter().rev().skip(1) {
        let leads_there = |step: &Step| print(&model.after(&state, *step)) == *print_of_next;
        let Some(step) = model.steps(&state).into_iter().find(leads_there) else { break };
        state = model.after(&state, step);
        let _ = writeln!(words, "  {step:?}");
    }
    let _ = writeln!(words, "  {state:#?}");
    words
}
