//! Numbers over time, and how fast they grow.

/// The part of a run, at its beginning, in which memory still fills up, in hundredths.
const WARM_UP: usize = 20;

/// Values with the second at which each was taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series(Vec<(f64, f64)>);

impl Series {
    pub(crate) fn add(&mut self, second: f64, value: f64) {
        self.0.push((second, value));
    }

    /// What counts: all but the warm-up.
    fn settled(&self) -> &[(f64, f64)] {
        &self.0[self.0.len() * WARM_UP / 100..]
    }

    /// The first value that counts.
    pub(crate) fn first(&self) -> f64 {
        self.settled().first().map_or(0.0, |(_, value)| *value)
    }

    /// The last value.
    pub(crate) fn last(&self) -> f64 {
        self.0.last().map_or(0.0, |(_, value)| *value)
    }

    /// The largest value.
    pub(crate) fn most(&self) -> f64 {
        self.0.iter().map(|(_, value)| *value).fold(0.0, f64::max)
    }

    /// By how much the value grows in an hour, by the line that fits best (least squares).
    pub(crate) fn an_hour(&self) -> f64 {
        slope(self.settled())
    }

    /// The same in the second half of the time that counts: what fills up grows less there.
    pub(crate) fn an_hour_late(&self) -> f64 {
        slope(self.late())
    }

    /// By which part of itself the value grew over the time that counts, by the same line.
    pub(crate) fn part(&self) -> f64 {
        part(self.settled())
    }

    /// The same over the second half of that time.
    pub(crate) fn part_late(&self) -> f64 {
        part(self.late())
    }

    fn late(&self) -> &[(f64, f64)] {
        let points = self.settled();
        &points[points.len() / 2..]
    }
}

fn part(points: &[(f64, f64)]) -> f64 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return 0.0 };
    if first.1 == 0.0 { 0.0 } else { slope(points) / 3_600.0 * (last.0 - first.0) / first.1 }
}

/// How steep the line is that fits `points` best, for an hour.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (at, value) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - at).powi(2)).sum();
    if points.len() < 3 || spread == 0.0 {
        return 0.0;
    }
    let together: f64 = points.iter().map(|point| (point.0 - at) * (point.1 - value)).sum();
    together / spread * 3_600.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(value: impl Fn(f64) -> f64) -> Series {
        let mut series = Series::default();
        (0..100).map(f64::from).for_each(|at| series.add(at * 36.0, value(at)));
        series
    }

    #[test]
    fn what_grows_is_told_from_what_fills_up_and_from_what_goes_up_and_down() {
        let grows = series(|at| 10.0 + at / 100.0);
        assert!((grows.an_hour() - 1.0).abs() < 1e-9, "{}", grows.an_hour());
        // From 10.2 after the warm-up to 10.99.
        assert!((grows.part() - 0.79 / 10.2).abs() < 1e-9, "{}", grows.part());
        let fills = series(|at| if at < 20.0 { at } else { 20.0 });
        assert!(fills.an_hour().abs() < 1e-9 && fills.first() == 20.0);
        let slows = series(|at| if at < 60.0 { at } else { 60.0 });
        assert!(slows.an_hour() > 1.0 && slows.an_hour_late().abs() < 1e-9);
        assert!(slows.part() > 0.5 && slows.part_late().abs() < 1e-9, "{}", slows.part());
        let waves = series(|at| if at % 2.0 == 0.0 { 9.0 } else { 11.0 });
        assert!(waves.part().abs() < 0.01 && waves.most() == 11.0, "{}", waves.part());
        assert_eq!((Series::default().an_hour(), Series::default().part()), (0.0, 0.0));
    }
}
