//! One line of the result: what was measured, and whether that is what was promised.

use std::time::Duration;

/// A measured value beside its budget.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    budget: Option<Budget>,
}

/// What a figure should be, in its own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Budget {
    AtMost(f64),
    AtLeast(f64),
}

impl Figure {
    /// A value without a budget.
    pub(super) fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, budget: None }
    }

    /// The same, which should be `most` at most.
    pub(super) fn at_most(self, most: f64) -> Self {
        Self { budget: Some(Budget::AtMost(most)), ..self }
    }

    /// The same, which should be `least` at least.
    pub(super) fn at_least(self, least: f64) -> Self {
        Self { budget: Some(Budget::AtLeast(least)), ..self }
    }

    /// Its line in the table of all benches.
    pub(super) fn row(&self, bench: &str) -> String {
        let Self { what, value, unit, budget } = self;
        let measured = format!("{} {unit}", short(*value));
        let Some(budget) = budget else { return format!("{bench:<10}{what:<52}{measured:>12}\n") };
        let (sign, bound, kept) = match *budget {
            Budget::AtMost(most) => ("<=", most, *value <= most),
            Budget::AtLeast(least) => (">=", least, *value >= least),
        };
        let verdict = if kept { "ok" } else { "OVER" };
        format!("{bench:<10}{what:<52}{measured:>12}  {sign} {bound:>5} {unit:<7}{verdict}\n")
    }
}

/// Three digits are more than a measurement like this is good for.
fn short(value: f64) -> String {
    let decimals = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// The value in the middle.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The largest value.
pub(super) fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// A time in milliseconds.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_whether_its_budget_is_kept() {
        let verdict = |figure: Figure| figure.row("x").split_whitespace().last().map(str::to_owned);
        let figure = |value| Figure::new("f", value, "ms");
        for (kept, figure) in [
            (true, figure(2.0).at_most(2.0)),
            (false, figure(2.01).at_most(2.0)),
            (true, figure(85.0).at_least(85.0)),
            (false, figure(84.9).at_least(85.0)),
            // What could not be measured keeps no promise.
            (false, figure(f64::NAN).at_most(2.0)),
        ] {
            assert_eq!(verdict(figure).as_deref(), Some(if kept { "ok" } else { "OVER" }));
        }
    }

    #[test]
    fn the_median_is_the_middle_and_the_most_is_the_end() {
        assert_eq!(median(&[9.0, 1.0, 5.0]), 5.0);
        assert_eq!(most(&[9.0, 1.0, 5.0]), 9.0);
        assert!(median(&[]).is_nan() && most(&[]).is_nan());
    }

    #[test]
    fn three_digits_are_shown() {
        assert_eq!([0.123, 12.34, 123.4].map(short), ["0.12", "12.3", "123"]);
    }
}
