//! Which actions a model is offered for a message: what a schema or a list of tools should hold.

use protocol::{ActionCard, Outcome, Status};

use super::relevance::relevant;
use super::said::Said;
use super::wishes::wishes;
use crate::action::Observation;

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
    let stopped = |card: &&ActionCard| {
        let mut seen = so_far.iter().filter(|seen| seen.action == card.name).peekable();
        seen.peek().is_some() && seen.all(is_stopped)
    };
    let mut fitting = relevant(said, &all);
    // A part of the message may speak of one that the rest drowns.
    for wished in wishes(said, &all) {
        if !fitting.iter().any(|card| card.name == wished.card.name) {
            fitting.push(wished.card);
        }
    }
    fitting.into_iter().filter(|card| !stopped(card)).collect()
}

/// Whether asking again for the same would bring the same.
fn is_stopped(seen: &Observation) -> bool {
    matches!(&seen.outcome, Outcome::Stopped(stopped) if is_final(stopped.code.status()))
}

fn is_final(status: Status) -> bool {
    matches!(status, Status::Pending | Status::Denied | Status::Skipped)
}

#[cfg(test)]
mod tests {
    use protocol::{ActionName, Code, Done, Stopped};

    use super::*;
    use crate::testing::{agent_cards, router_cards};

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
    fn what_was_stopped_in_a_turn_is_not_offered_again_in_it() {
        for code in [Code::Policy, Code::Approval, Code::Disabled] {
            assert_eq!(offered_after(Some(code)), Vec::<String>::new(), "{code:?}");
        }
        for code in [None, Some(Code::BadParams), Some(Code::Timeout)] {
            assert_eq!(offered_after(code), ["CREATE_POST"], "{code:?}");
        }
    }
}
