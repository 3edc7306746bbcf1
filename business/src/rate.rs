//! How fast one sender may write: so many messages in any minute. What is written beyond that is told once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use protocol::{Millis, SessionKey};

/// The span that is counted in.
const SPAN: Duration = Duration::from_secs(60);

/// How many senders are known at once. More than that write within a minute in a flood alone.
const SENDERS: usize = 10_000;

/// How fast all senders write.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<HashMap<SessionKey, Sender>>);

/// One sender.
#[derive(Debug, Default)]
struct Sender {
    /// When the latest messages were taken.
    taken: VecDeque<Millis>,
    /// Whether it was told that it writes too much, since the latest message that was taken.
    is_told: bool,
    /// When it wrote last.
    last: Millis,
}

impl Sender {
    fn may(&mut self, per_minute: usize, now: Millis) -> bool {
        self.taken.retain(|at| now.since(*at) < SPAN);
        self.taken.len() < per_minute
    }
}

impl Rates {
    /// Whether `sender` may write now: `per_minute` messages fit into a minute. The message counts.
    pub(super) fn take(&self, sender: &SessionKey, per_minute: usize, now: Millis) -> bool {
        self.with(sender, now, |one| {
            let may = one.may(per_minute, now);
            if may {
                one.taken.push_back(now);
            }
            may
        })
    }

    /// The same for a message that is not counted yet.
    pub(super) fn may(&self, sender: &SessionKey, per_minute: usize, now: Millis) -> bool {
        self.with(sender, now, |one| one.may(per_minute, now))
    }

    /// Whether `sender` is to be told of it: once, until a message of it is answered again.
    pub(super) fn tell(&self, sender: &SessionKey, now: Millis) -> bool {
        self.with(sender, now, |one| !std::mem::replace(&mut one.is_told, true))
    }

    /// A message of `sender` is answered.
    pub(super) fn answered(&self, sender: &SessionKey, now: Millis) {
        self.with(sender, now, |one| one.is_told = false);
    }

    fn with<R>(&self, sender: &SessionKey, now: Millis, act: impl FnOnce(&mut Sender) -> R) -> R {
        // Poisoned, the counts are still whole.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= SENDERS && !all.contains_key(sender) {
            all.retain(|_, one| now.since(one.last) < SPAN);
        }
        let one = all.entry(sender.clone()).or_default();
        one.last = now;
        act(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_fit_into_any_minute_and_the_eleventh_is_told_once() {
        let (rates, ann) = (Rates::default(), SessionKey::new("telegram-1").unwrap());
        let bob = SessionKey::new("telegram-2").unwrap();
        let take = |at| rates.take(&ann, 10, Millis(at));
        assert!((0..10).all(|at| take(at * 1_000)));
        assert!(!take(10_000) && !take(59_999));
        assert!(rates.tell(&ann, Millis(60_000)) && !rates.tell(&ann, Millis(60_000)));
        assert!(rates.take(&bob, 10, Millis(10_000)), "another one");
        assert!(take(60_000), "the first of them is a minute ago");
        assert!(!take(60_500));
        rates.answered(&ann, Millis(60_600));
        assert!(rates.tell(&ann, Millis(60_700)), "another streak");
    }
}
