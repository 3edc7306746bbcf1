//! What was learned of one model of one server, and how long it holds.

use std::time::Duration;

use protocol::Millis;
use serde::{Deserialize, Serialize};

use super::Way;

/// How long a refusal holds. Servers are mended and exchanged within days, and a try that is refused costs next
/// to nothing.
const HOLDS: Duration = Duration::from_secs(24 * 60 * 60);

/// What is known of one model of one server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learned {
    /// How it is asked for actions since the way that is tried first was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// How that was refused. Files of before this was kept have none, and their way no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way_refused: Option<Refused>,
    /// The largest window, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// The prompt that was too long, if the window is known from that alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_refused: Option<Refused>,
    /// How many bytes of a prompt make one token, by the server's own count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_token: Option<f64>,
    /// That it takes no pictures, if it has refused one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sees: Option<bool>,
    /// How it refused the picture; as for the way, without this it no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_refused: Option<Refused>,
    /// The versions of the server and of the model that this was learned of, as far as they were told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
}

/// That a server did not take something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// When, by this machine's clock.
    pub at: Millis,
    /// What happened, for people: `json was answered with 400: no grammar`.
    pub words: String,
}

impl Refused {
    /// How long it still holds; `None` when it no longer does. What comes from a clock that is far ahead doesn't either.
    #[must_use]
    pub fn left(&self, now: Millis) -> Option<Duration> {
        let away = Duration::from_millis(now.0.abs_diff(self.at.0));
        HOLDS.checked_sub(away).filter(|left| !left.is_zero())
    }
}

impl Learned {
    /// How it must be asked for actions, if not in the way that is tried first, and why.
    #[must_use]
    pub fn way_at(&self, now: Millis) -> Option<(Way, &Refused)> {
        self.way.zip(self.way_refused.as_ref().filter(|refused| refused.left(now).is_some()))
    }

    /// The refusal of a picture that still holds.
    #[must_use]
    pub fn picture_refused_at(&self, now: Millis) -> Option<&Refused> {
        self.picture_refused.as_ref().filter(|refused| refused.left(now).is_some())
    }

    /// Whether `other` says the same, as far as it matters for the next prompt.
    pub(super) fn is_close_to(&self, other: &Self) -> bool {
        let is_close = match (self.bytes_per_token, other.bytes_per_token) {
            (Some(one), Some(other)) => (one - other).abs() <= other / 10.0,
            (one, other) => one == other,
        };
        let rest = |learned: &Self| Self { bytes_per_token: None, ..learned.clone() };
        is_close && rest(self) == rest(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;

    #[test]
    fn a_refusal_holds_for_a_day_whatever_the_clock_does() {
        let left = |at: u64, now: u64| {
            let refused = Refused { at: Millis(at * HOUR), words: String::new() };
            refused.left(Millis(now * HOUR)).map(|left| left.as_secs() / 3_600)
        };
        assert_eq!(left(100, 100), Some(24));
        assert_eq!(left(100, 121), Some(3));
        assert_eq!([left(100, 124), left(100, 500)], [None; 2]);
        // The clock was put back a little, and a lot: what was written by a clock that was years ahead would hold for years.
        assert_eq!([left(100, 99), left(90_000, 100)], [Some(23), None]);
    }

    #[test]
    fn what_has_no_date_does_not_hold() {
        let old = Learned { way: Some(Way::ToolCode), sees: Some(false), ..Learned::default() };
        assert_eq!((old.way_at(Millis(1)), old.picture_refused_at(Millis(1))), (None, None));
    }
}
