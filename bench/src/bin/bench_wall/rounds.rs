//! What was measured, round by round.

use std::collections::BTreeMap;
use std::time::Duration;

/// Times by what took them, those of one round in the same place.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    times: BTreeMap<String, Vec<f64>>,
    /// What is told besides: a name, and what it took more than another, or how much went through.
    told: Vec<(String, f64)>,
}

impl Rounds {
    /// Adds what `name` took in this round.
    pub(crate) fn add(&mut self, name: &str, time: Duration) {
        self.times.entry(name.to_owned()).or_default().push(time.as_secs_f64() * 1e3);
    }

    /// Also tells `value` under `name`.
    pub(crate) fn tell(&mut self, name: &str, value: f64) {
        self.told.push((name.to_owned(), value));
    }

    /// Also tells, under `name`, what `one` took more than `other` in the same round.
    pub(crate) fn compare(&mut self, name: &str, one: &str, other: &str) {
        let times = |name: &str| self.times.get(name).into_iter().flatten();
        let more = times(one).zip(times(other)).map(|(one, other)| one - other).collect();
        self.tell(name, median(more));
    }

    /// Prints the medians, in milliseconds.
    pub(crate) fn print(self) {
        let times = self.times.into_iter().map(|(name, times)| (name, median(times)));
        times.chain(self.told).for_each(|(name, median)| println!("{name} {median:.4}"));
    }
}

#[cfg(test)]
impl Rounds {
    /// How often each was measured.
    pub(crate) fn counts(&self) -> Vec<usize> {
        self.times.values().map(Vec::len).collect()
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_taken_within_each_round() {
        let mut rounds = Rounds::default();
        for (one, other) in [(5, 1), (100, 97), (6, 4)] {
            rounds.add("one", Duration::from_millis(one));
            rounds.add("other", Duration::from_millis(other));
        }
        rounds.compare("more", "one", "other");
        assert_eq!(rounds.told, [("more".to_owned(), 3.0)]);
    }
}
