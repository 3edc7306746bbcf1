//! How the queue stood lately, for the charts.

use std::collections::VecDeque;

use protocol::Millis;
use serde::Serialize;

use crate::wall::Sight;

/// How many samples are kept: an hour at one in ten seconds.
const MOST: usize = 360;

/// How the queue stood once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Sample {
    at: Millis,
    waiting: u64,
    running: u64,
    questions: u64,
    ended: u64,
    not_done: u64,
}

/// The samples of the last hour.
#[derive(Debug, Default)]
pub(crate) struct History {
    samples: VecDeque<Sample>,
}

impl History {
    /// Adds how it stands now.
    pub(crate) fn add(&mut self, sight: &Sight) {
        if self.samples.len() >= MOST {
            self.samples.pop_front();
        }
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        self.samples.push_back(Sample {
            at: sight.now,
            waiting: sight.queue.waiting.unwrap_or_default(),
            running: count(sight.running.len()),
            questions: count(sight.questions.len()),
            ended: sight.queue.ended,
            not_done: sight.queue.not_done,
        });
    }

    /// All, the oldest first.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        self.samples.iter().copied().collect()
    }
}
