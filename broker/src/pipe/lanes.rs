//! Three lanes of what waits: a person's own commands go first, and none waits for ever.

use std::collections::VecDeque;

use protocol::{Priority, WAITING_MOST};

/// What waits, by priority; within a lane the first that came is the first that goes.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    background: VecDeque<T>,
    normal: VecDeque<T>,
    interactive: VecDeque<T>,
    /// Counts what was taken: it decides which lane's turn it is.
    turn: u64,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        let [background, normal, interactive] = [(); 3].map(|()| VecDeque::new());
        Self { background, normal, interactive, turn: 0 }
    }
}

impl<T> Lanes<T> {
    /// Puts `item` behind all others of its lane, and gives it back when the lane is full.
    pub(super) fn push(&mut self, priority: Priority, item: T) -> Result<(), T> {
        let lane = self.lane(priority);
        if lane.len() >= WAITING_MOST {
            return Err(item);
        }
        lane.push_back(item);
        Ok(())
    }

    /// Puts `item` ahead of all others of its lane. It had its place already, so there is always one.
    pub(super) fn put_back(&mut self, priority: Priority, item: T) {
        self.lane(priority).push_front(item);
    }

    /// Takes what is next: in strict order most of the time; every 4th time the normal lane goes first and every
    /// 16th the background, so that they always move.
    pub(super) fn pop(&mut self) -> Option<T> {
        use Priority::{Background, Interactive, Normal};
        let turn = self.turn.wrapping_add(1);
        let order = match turn {
            turn if turn.is_multiple_of(16) => [Background, Normal, Interactive],
            turn if turn.is_multiple_of(4) => [Normal, Interactive, Background],
            _ => [Interactive, Normal, Background],
        };
        let next = order.into_iter().find_map(|priority| self.lane(priority).pop_front())?;
        self.turn = turn;
        Some(next)
    }

    /// Takes the first of a lane that is `wanted`.
    pub(super) fn remove(&mut self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        [Priority::Interactive, Priority::Normal, Priority::Background].into_iter().find_map(
            |priority| {
                let lane = self.lane(priority);
                let at = lane.iter().position(&wanted)?;
                lane.remove(at)
            },
        )
    }

    fn lane(&mut self, priority: Priority) -> &mut VecDeque<T> {
        match priority {
            Priority::Background => &mut self.background,
            Priority::Normal => &mut self.normal,
            Priority::Interactive => &mut self.interactive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Priority::{Background, Interactive, Normal};

    #[test]
    fn what_is_urgent_goes_first_and_within_a_lane_the_oldest() {
        let mut lanes = Lanes::default();
        for (priority, item) in
            [(Background, "b"), (Normal, "n"), (Interactive, "i1"), (Interactive, "i2")]
        {
            lanes.push(priority, item).unwrap();
        }
        // The fourth is the normal lane's turn, and that is empty by then.
        let taken: Vec<_> = std::iter::from_fn(|| lanes.pop()).collect();
        assert_eq!(taken, ["i1", "i2", "n", "b"]);
    }

    #[test]
    fn no_lane_starves_beside_one_that_is_never_empty() {
        let mut lanes = Lanes::default();
        for n in 0..64 {
            lanes.push(Interactive, (Interactive, n)).unwrap();
            lanes.push(Normal, (Normal, n)).unwrap();
            lanes.push(Background, (Background, n)).unwrap();
        }
        let taken: Vec<_> = (0..32).filter_map(|_| lanes.pop()).map(|(lane, _)| lane).collect();
        let count = |lane| taken.iter().filter(|&&taken| taken == lane).count();
        assert_eq!((count(Interactive), count(Normal), count(Background)), (24, 6, 2));
        assert_eq!((taken[3], taken[15]), (Normal, Background));
    }

    #[test]
    fn a_full_lane_takes_no_more_but_what_had_its_place() {
        let mut lanes = Lanes::default();
        for n in 0..WAITING_MOST {
            lanes.push(Normal, n).unwrap();
        }
        assert_eq!(lanes.push(Normal, 7), Err(7));
        assert_eq!(lanes.push(Interactive, 8), Ok(()), "each lane has a limit of its own");
        lanes.put_back(Normal, 9);
        assert_eq!((lanes.pop(), lanes.pop()), (Some(8), Some(9)));
    }

    #[test]
    fn one_that_is_removed_leaves_the_order_of_the_others() {
        let mut lanes = Lanes::default();
        for item in ["a", "b", "c"] {
            lanes.push(Background, item).unwrap();
        }
        assert_eq!(lanes.remove(|item| *item == "b"), Some("b"));
        assert_eq!(lanes.remove(|item| *item == "b"), None);
        assert_eq!((lanes.pop(), lanes.pop(), lanes.pop()), (Some("a"), Some("c"), None));
    }
}
