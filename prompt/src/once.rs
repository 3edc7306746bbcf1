//! What is worked out of a card once, and again when the card has changed: a turn asks for it several times, and cards
//! change when somebody writes one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::{ActionCard, ActionName, Example, Object};
use serde_json::Value;

/// How many cards are kept before all are forgotten: more than any catalogue has.
const MOST: usize = 1_024;

/// What was worked out of each card, by its name.
#[derive(Debug)]
pub(super) struct Once<T>(Mutex<BTreeMap<ActionName, Kept<T>>>);

#[derive(Debug)]
struct Kept<T> {
    /// The card as it was then.
    card: ActionCard,
    known: Arc<T>,
}

impl<T> Once<T> {
    /// Nothing is known yet.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// What `work` makes of `card`, worked out only if the card is another one than last time.
    pub(super) fn of(&self, card: &ActionCard, work: impl FnOnce(&ActionCard) -> T) -> Arc<T> {
        // Poisoned, what is kept is still whole.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.get(&card.name).filter(|kept| is_same(&kept.card, card)) {
            return Arc::clone(&kept.known);
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        let known = Arc::new(work(card));
        let entry = Kept { card: card.clone(), known: Arc::clone(&known) };
        kept.insert(card.name.clone(), entry);
        known
    }
}

/// Whether two cards are read the same, the order of their parameters included, for that is shown.
fn is_same(one: &ActionCard, other: &ActionCard) -> bool {
    // All of them are named, so that one that is added is not forgotten here.
    let ActionCard {
        name,
        instruction,
        params,
        optional,
        effect,
        reads,
        examples,
        timeout_ms,
        set,
        more,
    } = one;
    *name == other.name
        && *instruction == other.instruction
        && *optional == other.optional
        && *set == other.set
        && (*effect, *reads, *timeout_ms) == (other.effect, other.reads, other.timeout_ms)
        && is_same_object(params, &other.params)
        && is_same_object(more, &other.more)
        && are_same(examples, &other.examples, is_same_example)
}

fn is_same_example(one: &Example, other: &Example) -> bool {
    let Example { say, params } = one;
    *say == other.say && is_same_object(params, &other.params)
}

fn is_same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => is_same_object(one, other),
        (Value::Array(one), Value::Array(other)) => are_same(one, other, is_same_value),
        _ => one == other,
    }
}

/// Maps are equal in any order, and these must have the same.
fn is_same_object(one: &Object, other: &Object) -> bool {
    let is_same_entry = |((key, value), (other_key, other)): ((&String, &Value), _)| {
        key == other_key && is_same_value(value, other)
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same_entry)
}

fn are_same<T>(one: &[T], other: &[T], is_same: fn(&T, &T) -> bool) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use testkit::cards::router_cards;

    fn reverse(object: &mut Object) {
        *object = std::mem::take(object).into_iter().rev().collect();
    }

    #[test]
    fn a_card_is_read_once_and_again_whatever_has_changed_in_it() {
        let card = router_cards().remove(0);
        let changes: [fn(&mut ActionCard); 6] = [
            |card| card.instruction.push('!'),
            |card| card.params["platform"]["enum"][0] = json!("Y"),
            |card| reverse(&mut card.params),
            |card| card.optional.push("text".to_owned()),
            |card| card.examples[0].say.push('!'),
            |card| reverse(&mut card.examples[0].params),
        ];
        for (place, change) in changes.into_iter().enumerate() {
            let once = Once::new();
            assert_eq!(*once.of(&card, |_| 1), 1);
            assert_eq!(*once.of(&card.clone(), |_| 2), 1, "it is the same card");
            let mut changed = card.clone();
            change(&mut changed);
            assert_eq!(*once.of(&changed, |_| 3), 3, "change {place}");
            assert_eq!(*once.of(&card, |_| 4), 4, "what is kept is the latest");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (once, mut card) = (Once::new(), router_cards().remove(0));
        for n in 0..=MOST {
            card.name = ActionName::new(format!("ACTION_{n}")).unwrap();
            assert_eq!(*once.of(&card, |_| n), n);
        }
        assert_eq!(once.0.lock().unwrap().len(), 1);
    }
}
