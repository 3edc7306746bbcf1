//! Which messages of customers are answered, and what their senders may take.

use std::sync::PoisonError;

use protocol::{Millis, SessionKey};
use serde::{Deserialize, Serialize};

use super::Reception;

/// The command of theirs that asks a model.
const ASKS: &str = "/ask";

/// How much customers may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Allowance {
    /// How many messages one of them may send in a minute.
    pub per_minute: u32,
    /// How many in a day.
    pub per_day: u32,
    /// How many tokens a model reads and writes for one of them in a day.
    pub tokens: u64,
    /// How many for all of them together.
    pub all_tokens: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { per_minute: 10, per_day: 100, tokens: 100_000, all_tokens: 1_000_000 }
    }
}

/// What becomes of a customer's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admitted {
    /// It is answered.
    Yes,
    /// It is not answered, and its sender is told why, once.
    Told(&'static str),
    /// The same, and the owner is to hear that nothing is left for today; its sender may know why.
    UsedUp(Option<&'static str>),
    /// It is not answered, and its sender knows why.
    No,
}

/// A sender who writes too much hears this.
pub(super) const TOO_FAST: &str = "You write faster than I can answer. Please wait a minute.";

/// A sender who has written all that fits into a day hears this.
pub(super) const TOO_MANY: &str = "I can't answer any more today. Please write again tomorrow.";

impl Reception {
    /// Whether a customer's message is answered: ten a minute and so many a day, as long as tokens are left for the customer
    /// and for all. A question that a word of the owner's passes on costs no tokens, nor does a command that asks no model.
    pub fn admit(&self, key: &SessionKey, text: &str) -> Admitted {
        self.admits(key, asks_no_model(text) || self.escalates(text))
    }

    /// The same for what is not read, such as a picture: its sender is told so.
    pub fn admit_unread(&self, key: &SessionKey) -> Admitted {
        self.admits(key, true)
    }

    /// Whether what is said in a silent chat is kept: all of those whom the owner allows, and of a stranger as many messages as
    /// would be answered.
    #[must_use]
    pub fn keeps(&self, key: &SessionKey) -> bool {
        self.strangers(key).is_none() || self.admits(key, true) == Admitted::Yes
    }

    /// Whether what a stranger writes next is neither answered nor kept, because there was too much of it. Nothing is counted.
    #[must_use]
    pub fn is_flooded(&self, key: &SessionKey) -> bool {
        let now = self.clock.now();
        let is_full = || {
            let [(messages, _), _] = self.chats.read().taken(key, now);
            messages >= self.allowance.per_day || !self.rates.may(key, self.per_minute(), now)
        };
        self.strangers(key).is_some() && is_full()
    }

    fn per_minute(&self) -> usize {
        usize::try_from(self.allowance.per_minute).unwrap_or(usize::MAX)
    }

    fn admits(&self, key: &SessionKey, is_free: bool) -> Admitted {
        let now = self.clock.now();
        if !self.rates.take(key, self.per_minute(), now) {
            return self.refuse(key, TOO_FAST, now);
        }
        let [(messages, tokens), (_, all_tokens)] = self.chats.read().taken(key, now);
        if messages >= self.allowance.per_day {
            return self.refuse(key, TOO_MANY, now);
        }
        if !is_free && tokens >= self.allowance.tokens {
            return self.refuse(key, TOO_MANY, now);
        }
        if !is_free && all_tokens >= self.allowance.all_tokens {
            let refused = self.refuse(key, TOO_MANY, now);
            return match (refused, self.is_news(now)) {
                (Admitted::Told(why), true) => Admitted::UsedUp(Some(why)),
                (_, true) => Admitted::UsedUp(None),
                (refused, false) => refused,
            };
        }
        self.rates.answered(key, now);
        self.take(key, 1, 0);
        Admitted::Yes
    }

    fn refuse(&self, key: &SessionKey, why: &'static str, now: Millis) -> Admitted {
        if self.rates.tell(key, now) { Admitted::Told(why) } else { Admitted::No }
    }

    /// Whether the owner does not know yet that nothing is left today.
    fn is_news(&self, now: Millis) -> bool {
        let today = Some(now.0 / 86_400_000);
        let mut told = self.told_on.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *told, today) != today
    }

    /// A model has read and written so many tokens for the customer of this chat.
    pub fn spent(&self, key: &SessionKey, tokens: u64) {
        self.take(key, 0, tokens);
    }

    /// It is held until [`Self::keep`]: a disk is slower than customers may write.
    fn take(&self, key: &SessionKey, messages: u32, tokens: u64) {
        let now = self.clock.now();
        self.chats.hold(|chats| chats.take(key, now, messages, tokens));
    }
}

/// Whether `text` is a command that is carried out without a model.
fn asks_no_model(text: &str) -> bool {
    protocol::slash(text).is_some_and(|(name, _)| name != ASKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_asks_a_model_in_every_spelling_that_the_session_reads() {
        // The last one has the Kelvin sign, which the session reads as a k.
        for asks in ["/ask what", "/ASK@my_bot what", "what", "/as\u{212A} what"] {
            assert!(!asks_no_model(asks), "{asks}");
        }
        assert!(asks_no_model("/status"));
    }
}
