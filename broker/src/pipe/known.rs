//! What is known of each id: it is why a copy of a command is never run beside the first one or after it.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use protocol::MessageId;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

/// How long an end is remembered: as long as the longest wait of an agent.
const KEPT: Duration = crate::unrun::REMEMBERED;

/// How many bytes the ends that are remembered may have together. The oldest go first.
const KEPT_BYTES: usize = 8 * 1024 * 1024;

/// What an end costs beside its reply and its id, in bytes; about what the maps need for it.
const OVERHEAD: usize = 128;

/// What has become of a command.
#[derive(Debug)]
pub(super) enum State {
    /// It waits in a lane.
    Waiting,
    /// The router has it. The token tells it when nobody waits for the reply any more.
    Running(CancellationToken),
    /// It was taken back before it came.
    TakenBack,
    /// It has ended with this reply.
    Ended(Box<RawValue>),
}

/// The ids that came, and what has become of their commands. What is open is known for as long as it is; what
/// has ended is bounded in time and in bytes.
#[derive(Debug, Default)]
pub(super) struct Known {
    states: HashMap<MessageId, (State, Instant)>,
    /// What may be forgotten, the oldest first. An id whose state has changed since stands here once more.
    ends: VecDeque<(Instant, MessageId)>,
    bytes: usize,
}

impl Known {
    /// What is known of `id` at `now`.
    pub(super) fn get(&mut self, id: &MessageId, now: Instant) -> Option<&State> {
        self.forget_old(now);
        self.states.get(id).map(|(state, _)| state)
    }

    /// Notes what has become of `id`.
    pub(super) fn set(&mut self, id: &MessageId, state: State, now: Instant) {
        self.forget(id);
        if let Some(cost) = cost(id, &state) {
            self.bytes += cost;
            self.ends.push_back((now, id.clone()));
        }
        self.states.insert(id.clone(), (state, now));
        self.forget_old(now);
    }

    /// Forgets `id`, as if it had never come.
    pub(super) fn forget(&mut self, id: &MessageId) {
        if let Some((state, _)) = self.states.remove(id) {
            self.bytes -= cost(id, &state).unwrap_or(0);
        }
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some((at, id)) = self.ends.front()
            && (self.bytes > KEPT_BYTES || now.duration_since(*at) >= KEPT)
        {
            let (at, id) = (*at, id.clone());
            self.ends.pop_front();
            let same = |(state, since): &(State, _)| *since == at && cost(&id, state).is_some();
            if self.states.get(&id).is_some_and(same) {
                self.forget(&id);
            }
        }
    }
}

/// How many bytes it costs to remember this; nothing is counted for what is open, which the lanes bound.
fn cost(id: &MessageId, state: &State) -> Option<usize> {
    match state {
        State::Waiting | State::Running(_) => None,
        State::TakenBack => Some(OVERHEAD + id.as_str().len()),
        State::Ended(reply) => Some(OVERHEAD + id.as_str().len() + reply.get().len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: usize) -> MessageId {
        MessageId::new(format!("m{n}")).unwrap()
    }

    fn ended(bytes: usize) -> State {
        State::Ended(RawValue::from_string(format!("{:?}", "x".repeat(bytes - 2))).unwrap())
    }

    #[test]
    fn an_end_is_remembered_for_ten_minutes_and_what_is_open_for_as_long_as_it_is() {
        let (mut known, start) = (Known::default(), Instant::now());
        known.set(&id(1), ended(10), start);
        known.set(&id(2), State::Waiting, start);
        let before = start + KEPT - Duration::from_millis(1);
        assert!(matches!(known.get(&id(1), before), Some(State::Ended(_))));
        assert!(known.get(&id(1), start + KEPT).is_none());
        assert!(matches!(known.get(&id(2), start + 2 * KEPT), Some(State::Waiting)));
        assert_eq!((known.bytes, known.ends.len()), (0, 0));
    }

    #[test]
    fn too_many_bytes_are_not_kept_and_the_oldest_goes_first() {
        let (mut known, now) = (Known::default(), Instant::now());
        let large = KEPT_BYTES / 4;
        for n in 0..4 {
            known.set(&id(n), ended(large), now);
        }
        assert!(known.get(&id(0), now).is_none(), "with their overhead three have room");
        assert!((1..4).all(|n| known.get(&id(n), now).is_some()));
        assert!(known.bytes <= KEPT_BYTES);
        for n in 100..200_000 {
            known.set(&id(n), State::TakenBack, now);
        }
        assert!(known.states.len() < 70_000, "small ends are bounded as well");
    }

    #[test]
    fn an_id_that_ends_twice_is_remembered_from_its_latest_end() {
        let (mut known, start) = (Known::default(), Instant::now());
        known.set(&id(1), State::TakenBack, start);
        known.set(&id(1), ended(10), start + KEPT / 2);
        assert!(matches!(known.get(&id(1), start + KEPT), Some(State::Ended(_))));
        assert!(known.get(&id(1), start + KEPT + KEPT / 2).is_none());
        assert_eq!(known.bytes, 0);
    }
}
