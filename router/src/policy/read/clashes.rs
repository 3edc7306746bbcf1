//! Finds rules that contradict each other, that can never match, or that say more than is seldom meant.

use super::reading::Reading;
use crate::policy::fault::Fault;
use crate::policy::rule::Rule;
use crate::policy::then::Then;

/// Compares every rule with those before it.
pub(super) fn find(reading: &mut Reading, rules: &[Rule]) {
    for (at, rule) in rules.iter().enumerate() {
        if let Some(earlier) = rules[..at].iter().find(|earlier| earlier.catches_all_of(rule)) {
            reading.faults.push(clash(earlier, rule));
        }
        let unbounded = rule.until.is_none() && rule.times.is_none();
        if rule.then == Then::Allow && rule.conditions.are_none() && unbounded {
            let why = "this rule allows everything that a skill can do elsewhere";
            let fix = "name actions and parameters, or say how long (until) or how often (times)";
            reading.warning(rule.place.clone(), why, fix);
        }
    }
}

fn clash(earlier: &Rule, later: &Rule) -> Fault {
    let line = earlier.place.line;
    let (why, fix) = match (earlier.then == later.then, later.catches_all_of(earlier)) {
        (false, true) => (
            format!(
                "it says {} where the rule in line {line} says {} under the same conditions",
                later.then, earlier.then
            ),
            "keep one of the two".to_owned(),
        ),
        (false, false) => (
            format!("it never decides, because the rule in line {line} catches all of it before"),
            format!("put it above line {line}: the first rule that matches decides"),
        ),
        (true, _) => (
            format!("it adds nothing to the rule in line {line}, which catches all of it before"),
            "delete it".to_owned(),
        ),
    };
    Fault { place: later.place.clone(), why, fix }
}
