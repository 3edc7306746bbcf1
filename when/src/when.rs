//! When a job is due: after a span of time, at a local date and time, or again and again by a cron pattern.
//!
//! Only forms for programs are read. Words such as "tomorrow" are for models, which fill these forms in.

use std::fmt;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, Timestamp, ToSpan, Zoned};
use protocol::Millis;

use super::Zone;
use super::zone::millis;

/// The furthest that a job may lie ahead, in years.
const FURTHEST: i32 = 20;

/// How many missed times are counted.
const COUNTED: u32 = 1_000;

/// When a job is due.
#[derive(Debug, Clone, PartialEq)]
pub enum When {
    /// Once, then.
    Once(Millis),
    /// Whenever the pattern says so.
    Again(Pattern),
}

/// Five fields of cron: minute, hour, day of the month, month, day of the week.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    cron: Box<Cron>,
}

/// Why a time can't be used; the words tell what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhenError {
    /// It is in no form that is known.
    #[error(
        "{0:?} is no time: write a span such as 20m, 2h or 3d, a local date and time such as 2026-11-24T09:00, \
         or five fields of cron such as 0 9 * * 1-5"
    )]
    Unknown(String),
    /// It is no span of time.
    #[error(
        "{0:?} is no span of time: write a number with s, m, h or d behind it, such as 20m or 2h"
    )]
    NoSpan(String),
    /// A date without a time.
    #[error("{0} has no time of day: write it behind the date, such as {0}T09:00")]
    NoTime(String),
    /// It is over.
    #[error("{0} is not ahead; it is {1} now")]
    Past(String, String),
    /// It is too far away.
    #[error("{0} is more than {FURTHEST} years ahead")]
    TooFar(String),
    /// It is no cron pattern.
    #[error(
        "{text:?} is no cron pattern ({why}): write minute, hour, day of the month, month and day of the week, \
         such as 0 9 * * 1-5 for nine on weekdays"
    )]
    NoPattern {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// It is a pattern that no day fits.
    #[error("{0:?} never comes: no date fits it")]
    Never(String),
}

impl When {
    /// Reads a span, a local date and time, a time of day (the next one), or a cron pattern, as a model fills it in at `now`.
    ///
    /// # Errors
    /// [`WhenError`].
    pub fn read(text: &str, zone: &Zone, now: Millis) -> Result<Self, WhenError> {
        let text = text.trim();
        let text = text.strip_prefix("cron:").unwrap_or(text).trim();
        if text.split_whitespace().count() == 5 || text.starts_with('@') {
            return Pattern::read(text, zone, now).map(Self::Again);
        }
        let here = zone.at(now);
        if let Some(at) = point(text, zone, &here) {
            return once(text, &at?, &here);
        }
        match text.parse::<Span>() {
            Ok(_) => Self::after(text, zone, now),
            Err(_) => Err(WhenError::Unknown(shortened(text))),
        }
    }

    /// Reads a span from `now` on, such as `20m`. A day is a day of the calendar, which may have 23 hours.
    ///
    /// # Errors
    /// [`WhenError`].
    pub fn after(text: &str, zone: &Zone, now: Millis) -> Result<Self, WhenError> {
        let here = zone.at(now);
        let span: Span = text.parse().map_err(|_| WhenError::NoSpan(shortened(text)))?;
        if !span.is_positive() {
            return Err(WhenError::NoSpan(shortened(text)));
        }
        let at = here.checked_add(span).map_err(|_| WhenError::TooFar(shortened(text)))?;
        once(text, &at, &here)
    }
}

/// A point in time, if `text` is one: with a zone or an offset, or in `zone`.
fn point(text: &str, zone: &Zone, here: &Zoned) -> Option<Result<Zoned, WhenError>> {
    if let Ok(at) = text.parse::<Zoned>() {
        return Some(Ok(at));
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(Ok(at.to_zoned(zone.zone().clone())));
    }
    let local = |at: DateTime| {
        at.to_zoned(zone.zone().clone()).map_err(|_| WhenError::TooFar(shortened(text)))
    };
    if let Ok(time) = text.parse::<Time>() {
        let today = local(here.date().to_datetime(time));
        return Some(today.and_then(|at| {
            if at > *here {
                return Ok(at);
            }
            let tomorrow =
                here.date().tomorrow().map_err(|_| WhenError::TooFar(text.to_owned()))?;
            local(tomorrow.to_datetime(time))
        }));
    }
    // A date alone is read as its midnight, when nobody wants to be told anything.
    if let Ok(date) = text.parse::<Date>()
        && !text.contains(':')
    {
        return Some(Err(WhenError::NoTime(date.to_string())));
    }
    text.parse::<DateTime>().ok().map(local)
}

fn once(text: &str, at: &Zoned, here: &Zoned) -> Result<When, WhenError> {
    if at <= here {
        let now = here.strftime("%Y-%m-%d %H:%M").to_string();
        return Err(WhenError::Past(shortened(text), now));
    }
    let limit = here.checked_add(FURTHEST.years());
    if limit.is_ok_and(|limit| *at > limit) {
        return Err(WhenError::TooFar(shortened(text)));
    }
    Ok(When::Once(millis(at)))
}

impl Pattern {
    /// Reads five fields, or a word such as `@daily`, that some day after `now` fits.
    ///
    /// # Errors
    /// [`WhenError`].
    pub fn read(text: &str, zone: &Zone, now: Millis) -> Result<Self, WhenError> {
        let pattern = Self::parse(text)?;
        match pattern.next_after(now, zone) {
            Some(_) => Ok(pattern),
            None => Err(WhenError::Never(shortened(text))),
        }
    }

    /// The same for what was read before.
    ///
    /// # Errors
    /// When it is no pattern.
    pub fn parse(text: &str) -> Result<Self, WhenError> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parser =
            CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(&text).map_err(|error| WhenError::NoPattern {
            text: shortened(&text),
            why: error.to_string().trim_end_matches('.').to_owned(),
        })?;
        Ok(Self { text, cron: Box::new(cron) })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first time after `now`. Where clocks go forward over it, that is the first moment behind the gap; where they go
    /// back, a fixed time comes once.
    #[must_use]
    pub fn next_after(&self, now: Millis, zone: &Zone) -> Option<Millis> {
        let next = self.cron.find_next_occurrence(&zone.at(now), false).ok()?;
        Some(millis(&next)).filter(|next| *next > now)
    }

    /// How many times lie from `first`, which is one, up to `now`, and the latest of them. A thousand is the most.
    #[must_use]
    pub fn missed(&self, first: Millis, now: Millis, zone: &Zone) -> (u32, Millis) {
        let (mut count, mut latest) = (1, first);
        while count < COUNTED
            && let Some(next) = self.next_after(latest, zone).filter(|next| *next <= now)
        {
            (count, latest) = (count + 1, next);
        }
        (count, latest)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

/// As much of it as an error shows.
fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn berlin() -> Zone {
        Zone::named("Europe/Berlin").unwrap()
    }

    fn at(text: &str) -> Millis {
        millis(&text.parse::<DateTime>().unwrap().to_zoned(berlin().zone().clone()).unwrap())
    }

    fn shown(at: Millis) -> String {
        berlin().at(at).strftime("%Y-%m-%d %H:%M %:z").to_string()
    }

    /// Monday, 15:04 in Berlin.
    const NOW: &str = "2026-11-23T15:04";

    fn read(text: &str) -> String {
        match When::read(text, &berlin(), at(NOW)) {
            Ok(When::Once(at)) => shown(at),
            Ok(When::Again(pattern)) => format!("again {}", pattern.as_str()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_a_model_fills_in_is_read() {
        for (text, expected) in [
            ("2h", "2026-11-23 17:04 +01:00"),
            ("90m", "2026-11-23 16:34 +01:00"),
            ("1h30m", "2026-11-23 16:34 +01:00"),
            ("2 hours", "2026-11-23 17:04 +01:00"),
            ("PT20M", "2026-11-23 15:24 +01:00"),
            ("1d", "2026-11-24 15:04 +01:00"),
            ("2026-11-24T09:00", "2026-11-24 09:00 +01:00"),
            ("2026-11-24 09:00", "2026-11-24 09:00 +01:00"),
            ("2026-11-24T09:00:00Z", "2026-11-24 10:00 +01:00"),
            ("2026-11-24T09:00-05:00", "2026-11-24 15:00 +01:00"),
            ("17:30", "2026-11-23 17:30 +01:00"),
            ("09:00", "2026-11-24 09:00 +01:00"),
            ("0 9 * * 1-5", "again 0 9 * * 1-5"),
            ("cron: 0 9 * * MON", "again 0 9 * * MON"),
            ("@daily", "again @daily"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_can_not_be_used_is_told_with_what_is_right() {
        let texts = [
            "",
            "2x",
            "0m",
            "-2h",
            "2h ago",
            "tomorrow",
            "2",
            "2026-11-24",
            "2026-11-22T09:00",
            "2026-13-40T09:00",
            "9999d",
            "99999999999999999999s",
            "99 99 99 99 99",
            "* * * *",
            "0 0 30 2 *",
            "0 9 * * 1-5 2026",
        ];
        insta::assert_snapshot!(texts.map(read).join("\n"));
    }

    #[test]
    fn days_follow_the_calendar_where_clocks_change() {
        let day = |now: &str| match When::after("1d", &berlin(), at(now)) {
            Ok(When::Once(at)) => shown(at),
            other => panic!("{other:?}"),
        };
        assert_eq!(day("2026-03-28T09:00"), "2026-03-29 09:00 +02:00", "23 hours");
        assert_eq!(day("2026-10-24T09:00"), "2026-10-25 09:00 +01:00", "25 hours");
    }

    /// The times of `pattern` from `from` on.
    fn times(pattern: &str, from: &str, count: usize) -> Vec<String> {
        let pattern = Pattern::parse(pattern).unwrap();
        let mut now = at(from);
        let next = |_| {
            now = pattern.next_after(now, &berlin()).unwrap();
            shown(now)
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn a_pattern_is_local_time_where_clocks_change() {
        assert_eq!(
            times("0 9 * * *", "2026-03-28T08:00", 3),
            ["2026-03-28 09:00 +01:00", "2026-03-29 09:00 +02:00", "2026-03-30 09:00 +02:00"]
        );
        // 02:30 does not exist on 29 March, and exists twice on 25 October.
        assert_eq!(
            times("30 2 * * *", "2026-03-28T12:00", 2),
            ["2026-03-29 03:00 +02:00", "2026-03-30 02:30 +02:00"]
        );
        assert_eq!(
            times("30 2 * * *", "2026-10-24T12:00", 2),
            ["2026-10-25 02:30 +02:00", "2026-10-26 02:30 +01:00"]
        );
        assert_eq!(
            times("0 * * * *", "2026-10-25T01:30", 3),
            ["2026-10-25 02:00 +02:00", "2026-10-25 02:00 +01:00", "2026-10-25 03:00 +01:00"]
        );
        assert_eq!(
            times("0 9 * * 1-5", "2026-11-20T09:30", 2),
            ["2026-11-23 09:00 +01:00", "2026-11-24 09:00 +01:00"]
        );
    }

    #[test]
    fn missed_times_are_counted() {
        let daily = Pattern::parse("0 9 * * *").unwrap();
        let count = |now: &str| daily.missed(at("2026-11-20T09:00"), at(now), &berlin());
        assert_eq!(count("2026-11-20T09:00"), (1, at("2026-11-20T09:00")));
        assert_eq!(count("2026-11-23T08:59"), (3, at("2026-11-22T09:00")));
        let minutely = Pattern::parse("* * * * *").unwrap();
        assert_eq!(minutely.missed(at("2020-01-01T00:00"), at(NOW), &berlin()).0, COUNTED);
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in any::<String>()) {
            let _ = When::read(&text, &berlin(), at(NOW));
            let _ = When::after(&text, &berlin(), at(NOW));
        }

        #[test]
        fn what_comes_next_is_always_ahead(
            pattern in "[0-9*]{1,2} [0-9*]{1,2} [0-9*]{1,2} \\* [0-6*]", now in 0u64..4_000_000_000_000,
        ) {
            if let Ok(pattern) = Pattern::parse(&pattern)
                && let Some(next) = pattern.next_after(Millis(now), &berlin())
            {
                prop_assert!(next > Millis(now));
            }
        }
    }
}
