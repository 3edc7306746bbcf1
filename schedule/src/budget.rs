//! What the clock may have models do on one day, and what it has had them do.

use protocol::Millis;
use serde::{Deserialize, Serialize};

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

/// How much the clock may take of models on one day of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockBudget {
    /// How often it may wake one: for a job that the model does, or for the question of a watch.
    pub wakes: u32,
    /// How many tokens models may read and write then.
    pub tokens: u64,
}

impl ClockBudget {
    /// As much as anybody wants.
    pub const ENDLESS: Self = Self { wakes: u32::MAX, tokens: u64::MAX };
}

/// What it has taken of them on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClockSpent {
    /// The day since 1970 in UTC.
    day: u64,
    /// How often it has woken one.
    pub wakes: u32,
    /// How many tokens they have read and written.
    pub tokens: u64,
    /// Whether people know that nothing is left.
    told: bool,
}

impl ClockSpent {
    /// What it is on the day of `now`.
    #[must_use]
    pub fn on(self, now: Millis) -> Self {
        let day = now.0 / DAY_MS;
        if self.day == day { self } else { Self { day, ..Self::default() } }
    }

    /// Whether nothing is left of `budget`.
    #[must_use]
    pub fn has_used_up(self, budget: ClockBudget, now: Millis) -> bool {
        let today = self.on(now);
        today.wakes >= budget.wakes || today.tokens >= budget.tokens
    }

    /// Counts that a model is woken; `false`, and nothing is counted, if nothing is left.
    pub(super) fn wake(&mut self, budget: ClockBudget, now: Millis) -> bool {
        *self = self.on(now);
        let may = !self.has_used_up(budget, now);
        self.wakes = self.wakes.saturating_add(u32::from(may));
        may
    }

    /// Counts what a model has read and written.
    pub(super) fn take(&mut self, tokens: u64, now: Millis) {
        *self = self.on(now);
        self.tokens = self.tokens.saturating_add(tokens);
    }

    /// Whether people do not know today that nothing is left.
    pub(super) fn is_untold(self, now: Millis) -> bool {
        !self.on(now).told
    }

    /// Whether people are to be told that nothing is left. They are told once a day.
    pub(super) fn is_news(&mut self, now: Millis) -> bool {
        *self = self.on(now);
        !std::mem::replace(&mut self.told, true)
    }
}

/// When the next day begins.
pub(super) fn tomorrow(now: Millis) -> Millis {
    Millis((now.0 / DAY_MS).saturating_add(1).saturating_mul(DAY_MS))
}
