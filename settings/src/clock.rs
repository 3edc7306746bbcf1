//! `clock`: whether jobs are told, and the time zone.

use schedule::{ClockBudget, QuietHours, Zone};
use serde::{Deserialize, Serialize};

use super::keys::{Change, KeyError};

/// The clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClockSettings {
    /// Whether there is one.
    pub enabled: bool,
    /// The zone that times are read and shown in; none for the machine's own.
    pub zone: Option<ZoneName>,
    /// How often a day watches may ask a model whether a change is what was meant.
    pub questions: u32,
    /// How often a day it may wake a model: for a job that the model does, or a question of a watch.
    pub wakes: u32,
    /// How many tokens a day models may read and write for it.
    pub tokens: u64,
    /// The hours of the day in which watches tell nothing; none for no such hours.
    pub quiet: Option<Quiet>,
}

impl Default for ClockSettings {
    fn default() -> Self {
        let (wakes, tokens) = (200, 1_000_000);
        Self { enabled: true, zone: None, questions: 50, wakes, tokens, quiet: None }
    }
}

impl ClockSettings {
    /// What models may be had do in a day.
    #[must_use]
    pub fn budget(&self) -> ClockBudget {
        ClockBudget { wakes: self.wakes, tokens: self.tokens }
    }
}

/// Quiet hours, as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Quiet(pub QuietHours);

impl TryFrom<String> for Quiet {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        QuietHours::read(&text).map(Self)
    }
}

impl From<Quiet> for String {
    fn from(quiet: Quiet) -> String {
        quiet.0.as_str().to_owned()
    }
}

/// The name of a time zone that exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ZoneName(String);

impl TryFrom<String> for ZoneName {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        Zone::named(&name).map(|zone| Self(zone.name().to_owned()))
    }
}

impl From<ZoneName> for String {
    fn from(name: ZoneName) -> String {
        name.0
    }
}

impl Change<'_> {
    /// Takes the time zone from `given`, or asks for it.
    pub(super) fn clock_zone(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let zone = self.file.settings().clock.zone.clone();
        self.or_none("clock.zone", zone.map(String::from), given)
    }

    /// Takes the quiet hours from `given`, or asks for them.
    pub(super) fn clock_quiet(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let quiet = self.file.settings().clock.quiet.clone();
        self.or_none("clock.quiet", quiet.map(String::from), given)
    }
}

/// The zone that is set, else the machine's own, else UTC; with a warning when the environment names one that does not exist.
pub(super) fn zone(settings: &ClockSettings, variable: Option<&str>) -> (Zone, Option<String>) {
    if let Some(zone) = settings.zone.as_ref().and_then(|name| Zone::named(&name.0).ok()) {
        return (zone, None);
    }
    match Zone::of_this_machine() {
        Ok(zone) => (zone, None),
        Err(_) => {
            let warning = variable.filter(|name| !name.is_empty()).map(|name| {
                format!("TZ is {name:?}, which is no time zone, so times are UTC; clock.zone in agent/config.json sets one")
            });
            (Zone::utc(), warning)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_that_does_not_exist_is_refused_with_one_that_does() {
        let read = |text: &str| serde_json::from_str::<ClockSettings>(text);
        let right = read(r#"{"zone": "Europe/Berlin"}"#).unwrap();
        assert!(right.enabled);
        assert_eq!(zone(&right, None).0.name(), "Europe/Berlin");
        let error = read(r#"{"zone": "Europe/Berln"}"#).unwrap_err().to_string();
        assert!(error.contains("did you mean Europe/Berlin?"), "{error}");
        let error = read(r#"{"quiet": "22-7"}"#).unwrap_err().to_string();
        assert!(error.contains("such as 22:00-07:00"), "{error}");
        let quiet = read(r#"{"quiet": "22:00-07:00"}"#).unwrap();
        assert!(serde_json::to_string(&quiet).unwrap().contains(r#""quiet":"22:00-07:00""#));
    }
}
