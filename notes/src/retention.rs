//! How long conversations are kept, by a time that can't jump: a clock that is set wrong removes nothing at once.

use std::fs;
use std::io;
use std::path::Path;

use document::Json;
use home::FileError;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use protocol::Millis;
use serde::{Deserialize, Serialize};

const HOUR: u64 = 3_600_000;

/// How far the time goes on at once, in milliseconds: a week.
const STEP: u64 = 7 * 24 * HOUR;

/// How far ahead of it the clock, or what was kept last, may be and still be right, in milliseconds: 60 days.
const FAR: u64 = 60 * 24 * HOUR;

/// How long it takes until it goes on again, in milliseconds: a little less than a day.
const PAUSE: u64 = 20 * HOUR;

/// `memory-kept.json`: the time by which things are old, and when that was looked at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HouseTime {
    /// By what time things are old.
    pub now: Millis,
    /// When that was looked at, by this machine's clock.
    looked: Millis,
}

impl Json for HouseTime {
    const LIMIT: u64 = 4 * 1024;
}

impl HouseTime {
    /// The next one at `clock`, with whether the clock has jumped; `None` if it is too early to look again. It goes on from
    /// `newest`, when something was kept last, if that is later: time goes on where nobody looks. A `newest` that is far ahead
    /// was kept by a clock that had jumped, and counts at first alone.
    #[must_use]
    pub fn next(self, clock: Millis, newest: Option<Millis>) -> Option<(Self, bool)> {
        let is_first = self == Self::default();
        let since = clock.0.checked_sub(self.looked.0);
        if !is_first && since.is_some_and(|since| since < PAUSE) {
            return None;
        }
        let is_near = |newest: &Millis| newest.0.saturating_sub(self.now.0) <= FAR;
        let from = match is_first {
            true => newest.unwrap_or(clock),
            false => newest.filter(is_near).map_or(self.now, |newest| newest.max(self.now)),
        };
        let most = Millis(from.0.saturating_add(STEP));
        let next = Self { now: clock.min(most), looked: clock };
        Some((next, clock.0 > from.0.saturating_add(FAR)))
    }

    /// The moment so many days before it.
    #[must_use]
    pub fn days_ago(self, days: u32) -> Millis {
        Millis(self.now.0.saturating_sub(u64::from(days) * 24 * HOUR))
    }
}

/// The day of the newest log in `folder`, by its name.
#[must_use]
pub fn newest_log(folder: &Path) -> Option<Millis> {
    logs(folder).ok()?.into_iter().map(|(day, _)| day).max()
}

/// Removes the logs in `folder` whose day is before `limit`, and gives how many.
///
/// # Errors
/// [`FileError`]; those that are left are there still.
pub fn prune_logs(folder: &Path, limit: Millis) -> Result<usize, FileError> {
    let logs = logs(folder).map_err(|error| FileError::new("read", folder, error))?;
    let mut removed = 0;
    for (_, path) in logs.into_iter().filter(|(day, _)| *day < limit) {
        fs::remove_file(&path).map_err(|error| FileError::new("remove", &path, error))?;
        removed += 1;
    }
    Ok(removed)
}

/// The logs of days in a folder, each with the end of its day.
fn logs(folder: &Path) -> io::Result<Vec<(Millis, std::path::PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut logs = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let day = name.and_then(|name| name.strip_suffix(".md")?.parse::<Date>().ok());
        let begins = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok());
        let at = begins.and_then(|at| u64::try_from(at.timestamp().as_millisecond()).ok());
        logs.extend(at.map(|at| (Millis(at.saturating_add(24 * HOUR)), path)));
    }
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * HOUR;

    fn at(days: u64) -> Millis {
        Millis(days * DAY)
    }

    #[test]
    fn time_goes_on_with_the_clock_and_never_far_at_once() {
        let (first, jumped) = HouseTime::default().next(at(100), Some(at(99))).unwrap();
        assert_eq!((first.now, jumped), (at(100), false));
        assert_eq!(first.next(Millis(100 * DAY + HOUR), None), None);
        let (next, jumped) = first.next(at(101), None).unwrap();
        assert_eq!((next.now, jumped), (at(101), false));
        // Years ahead: a week a day.
        let (ahead, jumped) = next.next(at(5_000), None).unwrap();
        assert_eq!((ahead.now, jumped), (at(108), true));
        assert_eq!(ahead.next(Millis(5_000 * DAY + HOUR), None), None);
        // Back again.
        let (back, jumped) = ahead.next(at(102), None).unwrap();
        assert_eq!((back.now, jumped), (at(102), false));
        assert_eq!(back.days_ago(102), Millis(0));
        assert_eq!(back.days_ago(u32::MAX), Millis(0));
    }

    #[test]
    fn at_first_it_stands_where_something_was_kept_last() {
        let (first, jumped) = HouseTime::default().next(at(5_000), Some(at(100))).unwrap();
        assert_eq!((first.now, jumped), (at(107), true));
        assert_eq!(HouseTime::default().next(at(5_000), None).unwrap().0.now, at(5_000));
    }

    #[test]
    fn a_holiday_is_no_jump() {
        let (first, _) = HouseTime::default().next(at(100), Some(at(99))).unwrap();
        let (back, jumped) = first.next(at(115), Some(at(101))).unwrap();
        assert_eq!((back.now, jumped), (at(108), false));
        assert!(first.next(at(162), Some(at(101))).unwrap().1);
    }

    #[test]
    fn a_home_that_is_started_once_a_month_grows_as_old_as_it_is() {
        let (mut time, _) = HouseTime::default().next(at(0), Some(at(0))).unwrap();
        for month in 1..=12 {
            // What was said on the day of the start before.
            let (next, jumped) = time.next(at(30 * month), Some(at(30 * (month - 1) + 1))).unwrap();
            assert!(!jumped, "month {month}");
            time = next;
        }
        assert_eq!(time.now, at(30 * 11 + 8));
    }

    #[test]
    fn what_was_kept_by_a_clock_that_is_years_ahead_removes_nothing_more() {
        let (first, _) = HouseTime::default().next(at(100), Some(at(99))).unwrap();
        let (next, jumped) = first.next(at(5_000), Some(at(100))).unwrap();
        assert_eq!((next.now, jumped), (at(107), true));
        let (next, jumped) = next.next(at(5_001), Some(at(5_001))).unwrap();
        assert_eq!((next.now, jumped), (at(114), true));
    }

    #[test]
    fn a_log_is_as_old_as_its_name_says() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["1970-01-02.md", "1970-01-10.md", "notes.md", "1970-01-01.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(newest_log(folder.path()), Some(at(10)));
        assert_eq!(prune_logs(folder.path(), at(2)).unwrap(), 0);
        assert_eq!(prune_logs(folder.path(), at(3)).unwrap(), 1);
        assert_eq!(prune_logs(&folder.path().join("none"), at(3)).unwrap(), 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
