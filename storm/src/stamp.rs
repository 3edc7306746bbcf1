//! When something was said: UTC to the second, as AIStorm writes it, `2025-03-01T15:01:00`.

use std::fmt;
use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{Timestamp, Unit};

/// A time in UTC, in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(DateTime);

/// A time that is not in UTC. Logs hold no offset, so it would be read as another time than it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not in UTC; storms keep their times in UTC")]
pub struct NotUtc(String);

impl Stamp {
    /// A time that is kept beside its offset from UTC, which must be none.
    ///
    /// # Errors
    /// [`NotUtc`] when it is one.
    pub fn at(time: DateTime, offset: Offset) -> Result<Self, NotUtc> {
        if offset != Offset::UTC {
            return Err(NotUtc(format!("{time}{offset}")));
        }
        Ok(Self(in_seconds(time)))
    }

    /// Reads a time. What has no offset is UTC; another offset makes it no stamp.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let text =
            ["Z", "z", "+00:00"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
        let (_, time) = text.split_once(['T', ' '])?;
        if time.contains(['+', '-', '[', 'Z', 'z']) {
            return None;
        }
        text.parse().ok().map(|time| Self(in_seconds(time)))
    }
}

/// A moment that no file could hold is taken for the beginning of 1970.
impl From<SystemTime> for Stamp {
    fn from(time: SystemTime) -> Self {
        let time = Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH);
        Self(in_seconds(Offset::UTC.to_datetime(time)))
    }
}

/// Without the part of a second.
fn in_seconds(time: DateTime) -> DateTime {
    // Rounding down to a second never leaves the range.
    let rounding = jiff::civil::DateTimeRound::new().smallest(Unit::Second);
    time.round(rounding.mode(jiff::RoundMode::Trunc)).unwrap_or(time)
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%S"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_utc_and_written_in_seconds() {
        let written = |text: &str| Stamp::read(text).map(|stamp| stamp.to_string());
        for text in ["2025-03-01T15:01:00", "2025-03-01T15:01:00Z", "2025-03-01 15:01:00.987+00:00"]
        {
            assert_eq!(written(text).as_deref(), Some("2025-03-01T15:01:00"), "{text}");
        }
        for text in
            ["", "yesterday", "2025-03-01", "2025-03-01T15:01:00+02:00", "2025-13-01T15:01:00"]
        {
            assert_eq!(written(text), None, "{text}");
        }
        assert_eq!(Stamp::from(SystemTime::UNIX_EPOCH).to_string(), "1970-01-01T00:00:00");
    }

    #[test]
    fn a_time_of_another_zone_is_not_written() {
        let noon = jiff::civil::date(2025, 3, 1).at(12, 0, 0, 0);
        assert_eq!(Stamp::at(noon, Offset::UTC).unwrap().to_string(), "2025-03-01T12:00:00");
        let error = Stamp::at(noon, jiff::tz::offset(2)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2025-03-01T12:00:00+02 is not in UTC; storms keep their times in UTC"
        );
    }
}
