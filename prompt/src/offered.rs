//! Which actions a model is offered for a message: what a schema or a list of tools should hold.
//!
//! A larger model decides for itself, and what it is offered stays the same from message to message, so that servers need not
//! read it again. A small one is offered what fits.

use conversation::observation::Observation;
use protocol::{ActionCard, Outcome, Status};

use super::relevance::relevant;
use super::said::Said;
use super::wishes::wishes;

/// How many actions a larger model is offered at most: of more it takes the wrong one, and each is read by it.
const MOST: usize = 40;

/// How many actions are described whatever is said; of more than that only those are that a message may be about.
const DESCRIBED_MOST: usize = 12;

/// Whether all these are described in the part of the prompt that stays.
pub(super) fn are_few(cards: [&[ActionCard]; 2]) -> bool {
    cards.iter().map(|cards| cards.len()).sum::<usize>() <= DESCRIBED_MOST
}

/// What a larger model may choose from, in the order of the catalogue: all that is not stopped; of many what the message may be
/// about.
#[must_use]
pub fn choice<'c>(
    said: Said<'_>,
    cards: [&'c [ActionCard]; 2],
    so_far: &[Observation],
) -> Vec<&'c ActionCard> {
    let all = cards.into_iter().flatten().filter(|card| !is_stopped(card, so_far));
    if are_few(cards) {
        return all.collect();
    }
    let fitting = offered(said, cards, so_far);
    let fits = |card: &&ActionCard| fitting.iter().any(|one| one.name == card.name);
    all.filter(fits).take(MOST).collect()
}

/// The actions that a message may be about, best first, without those that people or rules have stopped in this turn: who
/// has been told no does not ask again, and who waits for an answer neither. All of them if no word tells.
///
/// The prompt shows all names whatever is offered.
#[must_use]
pub(crate) fn offered<'c>(
    said: Said<'_>,
    cards: [&'c [ActionCard]; 2],
    so_far: &[Observation],
) -> Vec<&'c ActionCard> {
    let all: Vec<&ActionCard> = cards.into_iter().flatten().collect();
    let mut fitting = relevant(said, &all);
    // A part of the message may speak of one that the rest drowns.
    for wished in wishes(said, &all) {
        if !fitting.iter().any(|card| card.name == wished.card.name) {
            fitting.push(wished.card);
        }
    }
    fitting.into_iter().filter(|card| !is_stopped(card, so_far)).collect()
}

/// Whether all that was heard of it in this turn is that it must not be asked for again.
fn is_stopped(card: &ActionCard, so_far: &[Observation]) -> bool {
    let mut seen = so_far.iter().filter(|seen| seen.action == card.name).peekable();
    seen.peek().is_some() && seen.all(is_in_vain)
}

/// Whether asking again for the same would bring the same.
fn is_in_vain(seen: &Observation) -> bool {
    matches!(&seen.outcome, Outcome::Stopped(stopped) if is_final(stopped.code.status()))
}

fn is_final(status: Status) -> bool {
    matches!(status, Status::Pending | Status::Denied | Status::Skipped)
}

#[cfg(test)]
mod tests {
    use protocol::{ActionName, Code, Done, Stopped};

    use super::*;
    use testkit::cards::{agent_cards, router_cards};

    fn offered_after(code: Option<Code>) -> Vec<String> {
        let cards = [agent_cards(), router_cards()];
        let result = match code {
            Some(code) => Err(Stopped::new(code, "no")),
            None => Ok(Done::default()),
        };
        let seen = [Observation::of_local(ActionName::new("CREATE_POST").unwrap(), result)];
        let offered = offered(Said::plainly("Publish 'Hi' on X."), [&cards[0], &cards[1]], &seen);
        offered.iter().map(|card| card.name.to_string()).collect()
    }

    #[test]
    fn a_larger_model_is_offered_the_same_for_every_message_and_of_many_what_fits() {
        let cards = [agent_cards(), router_cards()];
        let names = |cards: [&[ActionCard]; 2], message: &str| -> Vec<String> {
            let choice = choice(Said::plainly(message), cards, &[]);
            choice.iter().map(|card| card.name.to_string()).collect()
        };
        let few = [cards[0].as_slice(), cards[1].as_slice()];
        let all = ["_MEMORY_WRITE", "_LLM_SUMMARY", "CREATE_POST", "HELLO_WORLD", "WEB_FETCH"];
        for message in ["Publish 'Hi' on X.", "\u{6253}\u{5f00}\u{706f}", "What is 2 and 2?"] {
            assert_eq!(names(few, message), all, "{message}");
        }
        let more = (0..60).map(|number| ActionCard {
            name: ActionName::new(format!("OTHER_{number}")).unwrap(),
            instruction: format!("Do number {number}."),
            examples: Vec::new(),
            ..cards[1][1].clone()
        });
        let router: Vec<ActionCard> = router_cards().into_iter().chain(more).collect();
        let many = [cards[0].as_slice(), router.as_slice()];
        let message = "Fetch https://example.org and publish 'Hi' on X";
        assert_eq!(names(many, message)[..2], ["CREATE_POST", "WEB_FETCH"]);
        assert_eq!(names(many, "und was noch?").len(), MOST);
    }

    #[test]
    fn what_was_stopped_in_a_turn_is_not_offered_again_in_it() {
        for code in [Code::Policy, Code::Approval, Code::Disabled] {
            assert_eq!(offered_after(Some(code)), Vec::<String>::new(), "{code:?}");
        }
        for code in [None, Some(Code::BadParams), Some(Code::Timeout)] {
            assert_eq!(offered_after(code), ["CREATE_POST"], "{code:?}");
        }
    }
}
