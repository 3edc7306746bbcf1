//! The time zone that people's times are read and shown in.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use protocol::Millis;

/// A time zone with the name that people know it by, such as `Europe/Berlin`.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    zone: TimeZone,
    name: String,
}

impl Zone {
    /// The zone of this name in the IANA's list.
    ///
    /// # Errors
    /// What would be right, in words.
    pub fn named(name: &str) -> Result<Self, String> {
        match TimeZone::get(name) {
            Ok(zone) => Ok(Self { name: zone.iana_name().unwrap_or(name).to_owned(), zone }),
            Err(_) => {
                let near = near(name).map(|near| format!(" (did you mean {near}?)"));
                let near = near.unwrap_or_default();
                Err(format!("a time zone such as Europe/Berlin or UTC{near}"))
            }
        }
    }

    /// The zone that this machine is set to.
    ///
    /// # Errors
    /// Why it can't be told; one that is not set is UTC.
    pub fn of_this_machine() -> Result<Self, String> {
        let zone = TimeZone::try_system().map_err(|error| error.to_string())?;
        let name = zone.iana_name().unwrap_or("local time").to_owned();
        Ok(Self { zone, name })
    }

    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self { zone: TimeZone::UTC, name: "UTC".to_owned() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The local time at `at`. Times beyond the year 9999 are its last second.
    #[must_use]
    pub fn at(&self, at: Millis) -> Zoned {
        let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX).to_zoned(self.zone.clone())
    }

    /// The time zone for calculations.
    #[must_use]
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// `at` as somebody says it at `now`: `at 17:04 today`, `tomorrow at 09:00`, `on Fri 27 Nov at 09:00`.
    #[must_use]
    pub fn words(&self, at: Millis, now: Millis) -> String {
        let (at, now) = (self.at(at), self.at(now));
        let time = at.strftime(if at.second() == 0 { "%H:%M" } else { "%H:%M:%S" });
        let (date, today) = (at.date(), now.date());
        if date == today {
            format!("at {time} today")
        } else if today.tomorrow().is_ok_and(|tomorrow| date == tomorrow) {
            format!("tomorrow at {time}")
        } else if date.year() == today.year() {
            format!("on {} at {time}", at.strftime("%a %-d %b"))
        } else {
            format!("on {} at {time}", at.strftime("%a %-d %b %Y"))
        }
    }
}

/// The zone that was probably meant by `typed`. A word without a slash is a city, which is the last part of a zone's name.
fn near(typed: &str) -> Option<String> {
    let known: Vec<String> = jiff::tz::db().available().map(|known| known.to_string()).collect();
    let part = |zone: &str| match typed.contains('/') {
        true => zone.to_owned(),
        false => zone.rsplit('/').next().unwrap_or(zone).to_owned(),
    };
    let parts: Vec<String> = known.iter().map(|zone| part(zone)).collect();
    let near = home::nearest(&typed.replace(' ', "_"), parts.iter().map(String::as_str))?;
    known.iter().zip(&parts).find(|(_, part)| *part == near).map(|(zone, _)| zone.clone())
}

/// A time on the wire and in files.
#[must_use]
pub fn millis(at: &Zoned) -> Millis {
    Millis(u64::try_from(at.timestamp().as_millisecond()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_said_as_people_say_it() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let at = |text: &str| millis(&text.parse::<Zoned>().unwrap());
        let now = at("2026-11-23T15:04:10+01:00[Europe/Berlin]");
        for (time, words) in [
            ("2026-11-23T17:04:00+01:00[Europe/Berlin]", "at 17:04 today"),
            ("2026-11-23T17:04:09+01:00[Europe/Berlin]", "at 17:04:09 today"),
            ("2026-11-24T09:00:00+01:00[Europe/Berlin]", "tomorrow at 09:00"),
            ("2026-11-27T09:00:00+01:00[Europe/Berlin]", "on Fri 27 Nov at 09:00"),
            ("2027-01-04T09:00:00+01:00[Europe/Berlin]", "on Mon 4 Jan 2027 at 09:00"),
            ("2026-11-23T16:30:00+00:00[UTC]", "at 17:30 today"),
        ] {
            assert_eq!(berlin.words(at(time), now), words);
        }
    }

    #[test]
    fn a_zone_that_does_not_exist_is_told_with_one_that_does() {
        let wrong = Zone::named("Europe/Berln").unwrap_err();
        assert!(wrong.contains("did you mean Europe/Berlin?"), "{wrong}");
        for (city, zone) in [("Berlin", "Europe/Berlin"), ("new york", "America/New_York")] {
            let wrong = Zone::named(city).unwrap_err();
            assert!(wrong.contains(&format!("did you mean {zone}?")), "{wrong}");
        }
        assert!(Zone::named("Mars/Olympus").is_err());
        assert_eq!(Zone::named("america/new_york").unwrap().name(), "America/New_York");
        assert_eq!(Zone::named("UTC").unwrap().name(), "UTC");
    }

    #[test]
    fn no_time_is_a_panic() {
        let _ = Zone::utc().words(Millis(u64::MAX), Millis(0));
        let _ = Zone::named("Pacific/Apia").unwrap().words(Millis(u64::MAX), Millis(u64::MAX));
    }
}
