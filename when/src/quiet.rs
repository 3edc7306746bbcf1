//! The hours of a day in which nothing is told by itself.

use protocol::Millis;

use super::{Pattern, Zone};

/// A span of every day, such as `22:00-07:00`, in the owner's time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietHours {
    text: String,
    from: Pattern,
    to: Pattern,
}

impl QuietHours {
    /// Reads two times of the day.
    ///
    /// # Errors
    /// What would be right, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let right = || "two times of the day, such as 22:00-07:00".to_owned();
        let (from, to) = text.split_once('-').ok_or_else(right)?;
        let daily = |time: &str| {
            let (hour, minute) = time.trim().split_once(':')?;
            let number = |digits: &str, below: u8| {
                let is_short = (1..=2).contains(&digits.len());
                let number = digits.parse::<u8>().ok().filter(|number| *number < below);
                number.filter(|_| is_short && digits.bytes().all(|byte| byte.is_ascii_digit()))
            };
            let (hour, minute) = (number(hour, 24)?, number(minute, 60)?);
            Pattern::parse(&format!("{minute} {hour} * * *")).ok()
        };
        match (daily(from), daily(to)) {
            (Some(from), Some(to)) if from != to => {
                Ok(Self { text: text.trim().to_owned(), from, to })
            }
            _ => Err(right()),
        }
    }

    /// As they were written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Until when it is quiet, if it is so at `now`.
    #[must_use]
    pub fn until(&self, now: Millis, zone: &Zone) -> Option<Millis> {
        let (from, to) = (self.from.next_after(now, zone)?, self.to.next_after(now, zone)?);
        // The end comes before the next beginning only in between.
        (to < from).then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000;
    const HOUR: u64 = 60 * MINUTE;

    #[test]
    fn a_span_holds_over_midnight_from_its_first_minute_to_its_last() {
        let (night, noon) = (QuietHours::read("22:00-07:00"), QuietHours::read("12:30 - 13:00"));
        let (night, noon) = (night.unwrap(), noon.unwrap());
        let day = 20_000 * 24 * HOUR;
        let until = |quiet: &QuietHours, at| {
            quiet.until(Millis(day + at), &Zone::utc()).map(|until| until.0 - day)
        };
        for (at, is_until) in [
            (0, Some(7 * HOUR)),
            (7 * HOUR - 1, Some(7 * HOUR)),
            (7 * HOUR, None),
            (22 * HOUR - 1, None),
            (22 * HOUR, Some(31 * HOUR)),
        ] {
            assert_eq!(until(&night, at), is_until, "{at}");
        }
        assert_eq!(until(&noon, 12 * HOUR + 29 * MINUTE), None);
        assert_eq!(until(&noon, 12 * HOUR + 30 * MINUTE), Some(13 * HOUR));
        assert_eq!(until(&noon, 13 * HOUR), None);
    }

    #[test]
    fn the_hours_are_those_of_the_zone_also_where_clocks_change() {
        let (night, zone) =
            (QuietHours::read("22:00-07:00").unwrap(), Zone::named("Europe/Berlin"));
        // Three in the morning of the night in which clocks go forward: seven is at five in UTC.
        let at = Millis(1_774_746_000_000);
        assert_eq!(night.until(at, &zone.unwrap()), Some(Millis(1_774_760_400_000)));
    }

    #[test]
    fn what_is_no_span_is_refused_with_one_that_is() {
        for wrong in [
            "",
            "22",
            "22-7",
            "22:00",
            "22:00-22:00",
            "24:00-07:00",
            "22:60-07:00",
            "-1:00-2:00",
            "22:00-7:000",
            "+2:00-7:00",
        ] {
            assert!(QuietHours::read(wrong).unwrap_err().contains("22:00-07:00"), "{wrong}");
        }
        assert_eq!(QuietHours::read(" 9:05-17:00 ").unwrap().as_str(), "9:05-17:00");
    }
}
