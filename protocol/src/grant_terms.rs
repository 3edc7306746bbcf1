//! How far a person's "always" goes: how many times it counts, and how long.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::Object;

/// How long it counts unless the person says, in minutes.
const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;

/// The terms of a grant. The default is as often as is asked, for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrantTerms {
    times: Option<u32>,
    minutes: Option<u32>,
}

/// Terms that can't be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TermsError {
    /// Neither a count nor a span.
    #[error("say how often or how long, such as 5x, 30m, 2h or 3d")]
    Unknown,
    /// Too few or too many times.
    #[error("it is 2 to {} times; for one time, say yes", GrantTerms::MOST_TIMES)]
    Times,
    /// Too long, or not at all.
    #[error("it is a minute at least and a week at most")]
    Span,
}

impl GrantTerms {
    /// For an hour, as often as is asked.
    pub const HOUR: Self = Self { times: None, minutes: None };

    /// The most times.
    pub const MOST_TIMES: u32 = 1_000;

    /// The longest, in minutes: a week.
    pub const LONGEST: u32 = 7 * DAY;

    /// Reads what people type behind "always": a count such as `5x`, a span such as `30m`, `2h` or `3d`, both in any order, or
    /// nothing.
    ///
    /// # Errors
    /// [`TermsError`].
    pub fn read<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, TermsError> {
        let mut terms = Self::default();
        for word in words {
            let (number, unit) = word.split_at(word.trim_end_matches(char::is_alphabetic).len());
            let number: u32 = number.parse().map_err(|_| TermsError::Unknown)?;
            let minutes = match unit.to_ascii_lowercase().as_str() {
                "x" if terms.times.is_none() => {
                    terms.times = Some(number);
                    continue;
                }
                "m" => Some(number),
                "h" => number.checked_mul(HOUR),
                "d" => number.checked_mul(DAY),
                _ => return Err(TermsError::Unknown),
            };
            if terms.minutes.is_some() {
                return Err(TermsError::Unknown);
            }
            terms.minutes = Some(minutes.ok_or(TermsError::Span)?);
        }
        terms.checked()
    }

    /// The terms with these numbers.
    ///
    /// # Errors
    /// [`TermsError`].
    pub fn new(times: Option<u32>, minutes: Option<u32>) -> Result<Self, TermsError> {
        Self { times, minutes }.checked()
    }

    /// Those in the parameters of an answer: `times` and `minutes`, either of which may be missing.
    ///
    /// # Errors
    /// [`TermsError`].
    pub fn of(params: &Object) -> Result<Self, TermsError> {
        let number = |name: &str| match params.get(name) {
            None => Ok(None),
            Some(value) => match value.as_u64().map(u32::try_from) {
                Some(Ok(number)) => Ok(Some(number)),
                _ => Err(TermsError::Unknown),
            },
        };
        Self { times: number("times")?, minutes: number("minutes")? }.checked()
    }

    /// The parameters that say them.
    pub fn params(self) -> impl Iterator<Item = (String, Value)> {
        let named = [("times", self.times), ("minutes", self.minutes)];
        named.into_iter().filter_map(|(name, number)| Some((name.to_owned(), number?.into())))
    }

    /// How often it counts, what was asked about included; `None` for as often as is asked.
    #[must_use]
    pub fn times(self) -> Option<u32> {
        self.times
    }

    /// How long it counts.
    #[must_use]
    pub fn span(self) -> Duration {
        Duration::from_secs(u64::from(self.minutes.unwrap_or(HOUR)) * 60)
    }

    fn checked(self) -> Result<Self, TermsError> {
        if self.times.is_some_and(|times| !(2..=Self::MOST_TIMES).contains(&times)) {
            return Err(TermsError::Times);
        }
        if self.minutes.is_some_and(|minutes| !(1..=Self::LONGEST).contains(&minutes)) {
            return Err(TermsError::Span);
        }
        Ok(self)
    }
}

impl fmt::Display for GrantTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.times {
            None => f.write_str("for ")?,
            Some(times) => write!(f, "{times} times within ")?,
        }
        let minutes = self.minutes.unwrap_or(HOUR);
        match (minutes, minutes % DAY, minutes % HOUR) {
            (DAY, ..) => f.write_str("a day"),
            (HOUR, ..) => f.write_str("an hour"),
            (1, ..) => f.write_str("a minute"),
            (_, 0, _) => write!(f, "{} days", minutes / DAY),
            (_, _, 0) => write!(f, "{} hours", minutes / HOUR),
            _ => write!(f, "{minutes} minutes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(words: &str) -> Result<String, TermsError> {
        GrantTerms::read(words.split_whitespace()).map(|terms| terms.to_string())
    }

    #[test]
    fn a_count_and_a_span_are_read_as_people_type_them() {
        for (words, told) in [
            ("", "for an hour"),
            ("5x", "5 times within an hour"),
            ("2h 45X", "45 times within 2 hours"),
            ("30m", "for 30 minutes"),
            ("24h", "for a day"),
            ("7d", "for 7 days"),
            ("1m 1000x", "1000 times within a minute"),
        ] {
            assert_eq!(read(words), Ok(told.to_owned()), "{words}");
        }
        for wrong in ["x", "5", "5y", "-5x", "5x 6x", "2h 1d", "five", "h", "5 x", "\u{665}x"] {
            assert_eq!(read(wrong), Err(TermsError::Unknown), "{wrong}");
        }
        for wrong in ["0x", "1x", "1001x"] {
            assert_eq!(read(wrong), Err(TermsError::Times), "{wrong}");
        }
        for wrong in ["0m", "8d", "169h", "4294967295d"] {
            assert_eq!(read(wrong), Err(TermsError::Span), "{wrong}");
        }
    }

    #[test]
    fn an_answer_carries_them() {
        let terms = GrantTerms::read(["5x", "2h"]).unwrap();
        let params = Object::from_iter(terms.params());
        assert_eq!(Value::from(params.clone()), json!({"times": 5, "minutes": 120}));
        assert_eq!(GrantTerms::of(&params), Ok(terms));
        assert_eq!(GrantTerms::of(&Object::new()), Ok(GrantTerms::default()));
        for wrong in [json!({"times": "5"}), json!({"times": -5}), json!({"minutes": 1.5})] {
            let wrong = wrong.as_object().unwrap();
            assert_eq!(GrantTerms::of(wrong), Err(TermsError::Unknown), "{wrong:?}");
        }
        let long = json!({"minutes": GrantTerms::LONGEST + 1});
        assert_eq!(GrantTerms::of(long.as_object().unwrap()), Err(TermsError::Span));
    }
}
