//! What is kept of one session.

use std::time::Duration;

use protocol::{Code, Millis, Stopped, Taint};
use serde::{Deserialize, Serialize};

use super::Terms;
use crate::digest::Digest;
use crate::policy::{Limits, WayOut};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

/// How many of a person's noes are remembered.
const REFUSED: usize = 64;

/// One session, as it stands in the store.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    /// What has entered it.
    pub(crate) taint: Taint,
    /// When it did or read something within the last hour, the oldest first.
    acts: Vec<Millis>,
    /// What it asked for last, and how often in a row.
    last: Option<Digest>,
    in_a_row: u32,
    /// How often it was told no since something went well.
    pub(crate) denials_in_a_row: u32,
    /// How often it was told no in all.
    pub(crate) denials: u32,
    /// Why it may do nothing until the owner lets it go on.
    pub(crate) stopped: Option<String>,
    /// What people have said no to, the newest last.
    refused: Vec<Digest>,
    /// When the choice among known addresses could tell something within the last hour, and how many bits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    told: Vec<(Millis, u32)>,
}

impl Record {
    /// Whether there is nothing in it that is worth keeping.
    pub(crate) fn is_blank(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the session may ask for what has this digest; a person lifts that with `unlock`.
    pub(super) fn may(&self, digest: &Digest, unlock: &str) -> Result<(), Stopped> {
        if let Some(why) = &self.stopped {
            let why = format!("this session is stopped: {why}; {unlock} lets it go on");
            return Err(Stopped::new(Code::Budget, why));
        }
        if self.refused.contains(digest) {
            let why = format!("a person has said no to just this; {unlock} takes that back");
            return Err(Stopped::new(Code::Owner, why));
        }
        Ok(())
    }

    /// Counts one act.
    pub(super) fn count(
        &mut self,
        same: &Digest,
        limits: &Limits,
        now: Millis,
    ) -> Result<(), Stopped> {
        let budget = |why: String| Err(Stopped::new(Code::Budget, why));
        // A clock that was put back makes no room, and one that was put forward none for long.
        self.acts.retain(|act| now.since(*act) < HOUR);
        let within_a_minute = self.acts.iter().filter(|act| now.since(**act) < MINUTE).count();
        if within_a_minute >= limits.per_minute as usize {
            return budget(format!("{} actions a minute are the most", limits.per_minute));
        }
        if self.acts.len() >= limits.per_hour as usize {
            return budget(format!("{} actions an hour are the most", limits.per_hour));
        }
        let is_lately = self.acts.last().is_some_and(|act| now.since(*act) < MINUTE);
        let is_same = is_lately && self.last == Some(*same);
        let repeats = if is_same { self.in_a_row } else { 0 };
        if repeats >= limits.same_in_a_row {
            let why = format!(
                "the same ran {repeats} times in a row already; a minute later it can again"
            );
            return budget(why);
        }
        self.acts.push(now);
        (self.last, self.in_a_row) = (Some(*same), repeats + 1);
        Ok(())
    }

    /// Takes what a choice can tell off the account; a way out where the account is empty.
    pub(super) fn pay(&mut self, bits: u32, terms: &Terms<'_>) -> Option<WayOut> {
        self.told.retain(|(at, _)| terms.now.since(*at) < HOUR);
        if bits == 0 {
            return None;
        }
        let told: u32 = self.told.iter().map(|(_, bits)| bits).sum();
        if told + bits > terms.limits.leak_bits {
            return Some(WayOut::Links);
        }
        self.told.push((terms.now, bits));
        None
    }

    /// Takes in what a person has refused.
    pub(super) fn refuse(&mut self, refused: Digest) {
        self.refused.retain(|known| *known != refused);
        self.refused.push(refused);
        let too_many = self.refused.len().saturating_sub(REFUSED);
        self.refused.drain(..too_many);
    }

    /// Takes in a no, and what a person has refused with it. Gives the reason if it stops the session.
    pub(super) fn deny(&mut self, refused: Option<Digest>, limits: &Limits) -> Option<String> {
        if let Some(refused) = refused {
            self.refuse(refused);
        }
        self.denials_in_a_row += 1;
        self.denials += 1;
        let why = if self.denials_in_a_row >= limits.denials_in_a_row {
            format!("it was told no {} times in a row", self.denials_in_a_row)
        } else if self.denials >= limits.denials {
            format!("it was told no {} times in all", self.denials)
        } else {
            return None;
        };
        self.stopped.is_none().then(|| self.stopped.insert(why).clone())
    }

    /// How much it did or read within the hour before `now`.
    pub(crate) fn acts_within_an_hour(&self, now: Millis) -> usize {
        self.acts.iter().filter(|act| now.since(**act) < HOUR).count()
    }

    /// Lets the session go on; what has entered it stays in it.
    pub(crate) fn resume(&mut self) {
        self.stopped = None;
        (self.denials_in_a_row, self.denials) = (0, 0);
        (self.last, self.in_a_row) = (None, 0);
        self.refused.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        per_minute: 5,
        per_hour: 8,
        same_in_a_row: 2,
        denials_in_a_row: 2,
        denials: 3,
        pending: 3,
        leak_bits: 10,
    };

    fn digest(n: u64) -> Digest {
        Digest::of(&n.to_le_bytes())
    }

    #[test]
    fn a_minute_and_an_hour_have_their_limits() {
        let mut record = Record::default();
        let mut at = |n: u64, seconds: u64| {
            let now = Millis(1_000_000_000).after(Duration::from_secs(seconds));
            record.count(&digest(n), &LIMITS, now).is_ok()
        };
        assert!((0..5).all(|n| at(n, 0)));
        assert!(!at(5, 59), "the sixth within a minute");
        assert!((6..9).all(|n| at(n, 60)));
        assert!(!at(9, 3_599), "the ninth within an hour");
        assert!(at(10, 3_600));
    }

    #[test]
    fn what_choices_may_tell_within_an_hour_is_bounded() {
        let mut record = Record::default();
        let at = |seconds| {
            let now = Millis(1_000_000_000).after(Duration::from_secs(seconds));
            Terms { limits: LIMITS, named: &[], now }
        };
        assert!((0..100).all(|_| record.pay(0, &at(0)).is_none()), "there was no choice");
        assert_eq!([record.pay(4, &at(0)), record.pay(4, &at(1))], [None, None]);
        assert_eq!(record.pay(4, &at(2)), Some(WayOut::Links));
        assert_eq!(record.pay(2, &at(3)), None);
        assert_eq!(record.pay(4, &at(3_600)), None);
    }

    #[test]
    fn the_same_call_can_be_repeated_only_so_often() {
        let mut record = Record::default();
        let mut ask = |n| record.count(&digest(n), &LIMITS, Millis(0)).is_ok();
        assert!(ask(1) && ask(1) && !ask(1));
        assert!(ask(2) && ask(1));
    }

    #[test]
    fn a_no_sticks() {
        let mut record = Record::default();
        assert_eq!(record.deny(Some(digest(1)), &LIMITS), None);
        assert_eq!(record.may(&digest(1), "/unlock").unwrap_err().code, Code::Owner);
        assert!(record.may(&digest(2), "/unlock").is_ok());
    }

    #[test]
    fn too_many_noes_stop_a_session_until_its_owner_lets_it_go_on() {
        let mut record = Record::default();
        assert_eq!(record.deny(None, &LIMITS), None);
        record.denials_in_a_row = 0;
        assert_eq!(record.deny(None, &LIMITS), None);
        assert!(record.deny(None, &LIMITS).is_some());
        assert_eq!(record.deny(None, &LIMITS), None, "it is said once");
        assert_eq!(record.may(&digest(1), "/unlock").unwrap_err().code, Code::Budget);
        record.resume();
        assert!(record.may(&digest(1), "/unlock").is_ok());
        record.denials_in_a_row = 0;
        record.deny(None, &LIMITS);
        assert!(record.may(&digest(1), "/unlock").is_ok());
    }
}
