//! What is broken when: drawn from a seed before anything runs, so that the same seed breaks the same things.

use std::time::Duration;

use crate::router::DEAD_AFTER;

/// How far apart two faults are on average.
const GAP_MS: u64 = 360;

/// The least time between two ends of the server, so that something happens in between.
const BETWEEN_OUTAGES: Duration = Duration::from_secs(2);

/// Something that breaks. Routers are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A router is killed without a chance to do anything else.
    Kill(usize),
    /// A router stands still for a while, and goes on as if nothing had been.
    Pause(usize, Duration),
    /// A router is asked to end.
    Drain(usize),
    /// All routers are asked to end, one after the other.
    Rolling,
    /// The server is killed, and stays down for a while.
    ServerKill(Duration),
    /// The server is asked to end, and stays down for a while.
    ServerEnd(Duration),
    /// The server forgets all scripts.
    FlushScripts,
    /// All connections to the server are cut.
    Cut,
}

/// A fault and its time since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// When.
    pub at: Duration,
    /// What.
    pub fault: Fault,
}

/// The kinds of faults, as often as they stand in a deck of cards.
const DECK: [(Card, usize); 8] = [
    (Card::Kill, 12),
    (Card::Pause, 3),
    (Card::Drain, 3),
    (Card::Rolling, 1),
    (Card::ServerKill, 1),
    (Card::ServerEnd, 1),
    (Card::FlushScripts, 1),
    (Card::Cut, 2),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Card {
    Kill,
    Pause,
    Drain,
    Rolling,
    ServerKill,
    ServerEnd,
    FlushScripts,
    Cut,
}

/// The faults of a run of this length. Whole decks are dealt, so that a run of ten seconds meets every kind.
#[must_use]
pub fn draw(seed: u64, length: Duration, routers: usize) -> Vec<Planned> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut planned, mut deck) = (Vec::new(), Vec::new());
    let (mut at, mut server_up_at) = (Duration::from_millis(500), Duration::ZERO);
    while at < length {
        let fault = fault(next_card(&mut rng, &mut deck), &mut rng, routers);
        let outage = match fault {
            Fault::ServerKill(down) | Fault::ServerEnd(down) => Some(down),
            _ => None,
        };
        if let Some(down) = outage {
            // Later than drawn, if the last outage is not long over.
            at = at.max(server_up_at);
            server_up_at = at + down + BETWEEN_OUTAGES;
        }
        planned.push(Planned { at, fault });
        at += Duration::from_millis(rng.u64(GAP_MS / 6..GAP_MS * 11 / 6));
    }
    planned
}

fn next_card(rng: &mut fastrand::Rng, deck: &mut Vec<Card>) -> Card {
    if deck.is_empty() {
        deck.extend(DECK.iter().flat_map(|(card, count)| std::iter::repeat_n(*card, *count)));
        rng.shuffle(deck);
    }
    // The deck is never empty here.
    deck.pop().unwrap_or(Card::Kill)
}

fn fault(card: Card, rng: &mut fastrand::Rng, routers: usize) -> Fault {
    let router = rng.usize(..routers.max(1));
    let down = Duration::from_millis(rng.u64(100..=3_000));
    match card {
        Card::Kill => Fault::Kill(router),
        Card::Pause => Fault::Pause(router, DEAD_AFTER / 2 * [1, 2, 4][rng.usize(..3)]),
        Card::Drain => Fault::Drain(router),
        Card::Rolling => Fault::Rolling,
        Card::ServerKill => Fault::ServerKill(down),
        Card::ServerEnd => Fault::ServerEnd(down),
        Card::FlushScripts => Fault::FlushScripts,
        Card::Cut => Fault::Cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn the_same_seed_breaks_the_same_things() {
        assert_eq!(draw(7, MINUTE, 3), draw(7, MINUTE, 3));
        assert_ne!(draw(7, MINUTE, 3), draw(8, MINUTE, 3));
    }

    #[test]
    fn a_minute_kills_routers_more_than_once_a_second() {
        for seed in 0..20 {
            let faults = draw(seed, MINUTE, 3);
            let kills = faults.iter().filter(|planned| matches!(planned.fault, Fault::Kill(_)));
            assert!(kills.count() > 60, "seed {seed}");
        }
    }

    #[test]
    fn outages_do_not_overlap() {
        let mut up_at = Duration::ZERO;
        for Planned { at, fault } in draw(1, 10 * MINUTE, 3) {
            if let Fault::ServerKill(down) | Fault::ServerEnd(down) = fault {
                assert!(at >= up_at);
                up_at = at + down;
            }
        }
    }
}
