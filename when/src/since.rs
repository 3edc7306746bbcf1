//! A point in time that lies behind, as a person writes it.

use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A time that is written as a span before now, as a day of UTC, or as a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since(u64);

/// A text that is no time.
#[derive(Debug, thiserror::Error)]
#[error(
    "it is a span such as 90m, 12h or 7d, a day such as 2026-11-20, or a time such as \
    2026-11-20T18:00:00Z"
)]
pub struct SinceError;

impl Since {
    /// It in milliseconds since 1970; 0 for what lies before.
    #[must_use]
    pub fn millis(self) -> u64 {
        self.0
    }

    fn read(text: &str, now: Timestamp) -> Result<Self, SinceError> {
        let time = span(text)
            .and_then(|span| now.checked_sub(span).ok())
            .or_else(|| text.parse().ok())
            .or_else(|| {
                let day: Date = text.parse().ok()?;
                Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
            })
            .ok_or(SinceError)?;
        Ok(Self(u64::try_from(time.as_millisecond()).unwrap_or_default()))
    }
}

impl FromStr for Since {
    type Err = SinceError;

    fn from_str(text: &str) -> Result<Self, SinceError> {
        Self::read(text.trim(), Timestamp::now())
    }
}

fn span(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().last()?;
    let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|count| *count >= 0)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    Some(SignedDuration::from_secs(count.checked_mul(seconds)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_days_and_times() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let read = |text| Since::read(text, now).map(Since::millis).ok();
        assert_eq!(read("90m"), Some((1_000_000 - 5_400) * 1_000));
        assert_eq!(read("2d"), Some((1_000_000 - 172_800) * 1_000));
        assert_eq!(read("1970-01-02"), Some(86_400_000));
        assert_eq!(read("1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(read("100000d"), Some(0));
        for text in ["", "yesterday", "-5m", "5", "99999999999999999999d"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
