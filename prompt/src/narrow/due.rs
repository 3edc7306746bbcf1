//! Which actions must be asked for again: those that failed because of how they were asked for. Nothing was done yet, and
//! a small model that may choose says that it is sorry instead.

use conversation::observation::Observation;
use protocol::{ActionCard, Code, Outcome};

use crate::wishes::Wished;

/// Each action whose only failure of that kind is also the last that was heard of it. Who fails twice may choose.
pub(super) fn again<'c>(
    cards: &[&'c ActionCard],
    wished: &[Wished<'c>],
    so_far: &[Observation],
) -> Vec<&'c ActionCard> {
    let mut due: Vec<&ActionCard> = Vec::new();
    for (place, seen) in so_far.iter().enumerate() {
        let is_other = |other: &Observation| other.action != seen.action;
        let is_last = so_far[place + 1..].iter().all(is_other);
        let is_first = so_far[..place].iter().all(|other| is_other(other) || !was_misasked(other));
        if was_misasked(seen) && is_last && is_first {
            due.extend(meant(cards, wished, seen));
        }
    }
    due
}

/// Whether what it was asked with is what was wrong.
fn was_misasked(seen: &Observation) -> bool {
    let Outcome::Stopped(stopped) = &seen.outcome else { return false };
    matches!(stopped.code, Code::BadParams | Code::UnknownAction)
}

/// The action of that name. Of an unknown name the one that the message asks for, if that is one alone; never the one that
/// is merely spelt alike: `DELETE_POST` is not to become `CREATE_POST`.
fn meant<'c>(
    cards: &[&'c ActionCard],
    wished: &[Wished<'c>],
    seen: &Observation,
) -> Option<&'c ActionCard> {
    let exact = cards.iter().copied().find(|card| card.name == seen.action);
    match wished {
        [one] => exact.or(Some(one.card)),
        _ => exact,
    }
}
