//! `memory`: how many days conversations and the logs of days are kept.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// How long things are kept, in days. What is noted and remembered is kept for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryDays {
    /// The conversations of guests.
    pub guests: NonZeroU32,
    /// The owner's conversations.
    pub owner: NonZeroU32,
    /// The logs of days, which show the same to people.
    pub logs: NonZeroU32,
}

impl Default for MemoryDays {
    fn default() -> Self {
        let days = |days| NonZeroU32::new(days).unwrap_or(NonZeroU32::MAX);
        Self { guests: days(90), owner: days(365), logs: days(30) }
    }
}
