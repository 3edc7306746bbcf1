//! Which actions must be asked for again: those that failed because of how they were asked for. Nothing was done yet, and
//! a small model that may choose says that it is sorry instead.

use protocol::{ActionCard, Code, Outcome};

use crate::action::Observation;

/// Each action whose only failure of that kind is also the last that was heard of it. Who fails twice may choose.
pub(super) fn again<'c>(cards: &[&'c ActionCard], so_far: &[Observation]) -> Vec<&'c ActionCard> {
    let mut due: Vec<&ActionCard> = Vec::new();
    for (place, seen) in so_far.iter().enumerate() {
        let is_other = |other: &Observation| other.action != seen.action;
        let is_last = so_far[place + 1..].iter().all(is_other);
        let is_first = so_far[..place].iter().all(|other| is_other(other) || !was_misasked(other));
        if was_misasked(seen) && is_last && is_first {
            due.extend(meant(cards, seen));
        }
    }
    due
}

/// Whether what it was asked with is what was wrong.
fn was_misasked(seen: &Observation) -> bool {
    let Outcome::Stopped(stopped) = &seen.outcome else { return false };
    matches!(stopped.code, Code::BadParams | Code::UnknownAction)
}

/// The action of that name, or the one whose name is most like it.
fn meant<'c>(cards: &[&'c ActionCard], seen: &Observation) -> Option<&'c ActionCard> {
    let names = || cards.iter().map(|card| card.name.as_str());
    let given = seen.action.as_str();
    let name = names().find(|name| *name == given).or_else(|| home::nearest(given, names()))?;
    cards.iter().copied().find(|card| card.name.as_str() == name)
}
