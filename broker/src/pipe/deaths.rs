//! How often a router may end before it is left alone.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many may end within [`SPAN`].
const MOST: usize = 5;
const SPAN: Duration = Duration::from_secs(60);

/// How long the first pause is. Each one within [`SPAN`] is four times as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How a router ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It came to an end of its own, with an exit code.
    ByItself,
    /// A signal ended it, or it had to be ended.
    Killed,
}

/// What to do after a router has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Start another one after this pause.
    StartAgain(Duration),
    /// Leave it, for this reason.
    GiveUp(&'static str),
}

/// The routers that ended.
#[derive(Debug, Default)]
pub(super) struct Deaths {
    /// When the latest of them ended, the oldest first.
    recent: VecDeque<Instant>,
    all: usize,
    /// How many of the last ones in a row never published a catalogue.
    mute: usize,
}

impl Deaths {
    /// Counts a router that ended at `now`, and had published a catalogue or not.
    pub(super) fn count(&mut self, ended: Ended, has_published: bool, now: Instant) -> Next {
        self.all += 1;
        self.mute = if has_published { 0 } else { self.mute + 1 };
        self.recent.push_back(now);
        self.recent.retain(|at| now.duration_since(*at) < SPAN);
        // A first one that ends by itself has said on stderr what has to be mended. Saying it twice helps nobody.
        let can_not_start = self.mute == 2 || (self.mute == self.all && ended == Ended::ByItself);
        if can_not_start {
            return Next::GiveUp(
                "it can't be started; mend what it said, then start SafeClaw again",
            );
        }
        if self.recent.len() >= MOST {
            return Next::GiveUp("it ended 5 times within a minute; start SafeClaw again");
        }
        let pauses = u32::try_from(self.recent.len() - 1).unwrap_or(u32::MAX);
        Next::StartAgain(FIRST_PAUSE.saturating_mul(4u32.saturating_pow(pauses)).min(LONGEST_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Ended::{ByItself, Killed};

    fn is_given_up(next: &Next) -> bool {
        matches!(next, Next::GiveUp(_))
    }

    #[test]
    fn pauses_grow_and_the_fifth_death_within_a_minute_is_the_last() {
        let (mut deaths, start) = (Deaths::default(), Instant::now());
        for ms in [50, 200, 800, 2_000] {
            let pause = Duration::from_millis(ms);
            assert_eq!(deaths.count(Killed, true, start), Next::StartAgain(pause));
        }
        assert!(is_given_up(&deaths.count(ByItself, true, start)));
    }

    #[test]
    fn deaths_of_long_ago_do_not_count() {
        let (mut deaths, start) = (Deaths::default(), Instant::now());
        for n in 0..100 {
            let next = deaths.count(Killed, true, start + n * SPAN);
            assert_eq!(next, Next::StartAgain(FIRST_PAUSE));
        }
    }

    #[test]
    fn one_that_can_not_start_is_left_alone() {
        let start = Instant::now();
        assert!(is_given_up(&Deaths::default().count(ByItself, false, start)));
        let mut deaths = Deaths::default();
        assert!(!is_given_up(&deaths.count(Killed, false, start)));
        assert!(is_given_up(&deaths.count(Killed, false, start)));
        let mut deaths = Deaths::default();
        assert!(!is_given_up(&deaths.count(Killed, true, start)));
        assert!(!is_given_up(&deaths.count(ByItself, false, start)), "once may be bad luck");
        assert!(is_given_up(&deaths.count(ByItself, false, start)));
    }
}
