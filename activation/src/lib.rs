//! How present something is that can be found again: a passage of a paper, or what was said in a conversation.
//!
//! The seed's activation, computed when somebody asks and never kept:
//!
//! ```text
//! activation = base + ln(max(1, times found)) - 0.05 * days since it was found or made last
//! ```
//!
//! The seed says "bm25 x activation boost" and its formula is unbounded, so something old could never be found again. Here the
//! boost lies between 0.8 and 1.2, and 1 is what is new and nobody has asked for:
//!
//! ```text
//! score = relevance * (1 + 0.2 * tanh(activation / 4))
//! ```

/// What a day without use costs.
const DECAY: f64 = 0.05;

/// How far activation moves a score at most, as a part of it.
const REACH: f64 = 0.2;

const DAY: f64 = 24.0 * 60.0 * 60.0 * 1_000.0;

/// How a passage was used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// What it began with.
    pub base: f64,
    /// How often it was found.
    pub count: u32,
    /// When it was found last, or made; in milliseconds since 1970.
    pub last: i64,
}

/// How present a passage is at `now`, in milliseconds since 1970. A time to come counts as now, so a clock
/// that jumps loses nothing.
#[must_use]
pub fn activation(usage: Usage, now: i64) -> f64 {
    // Milliseconds of a lifetime are exact as a float.
    #[expect(clippy::cast_precision_loss, reason = "an age needs no 53 bits")]
    let days = now.saturating_sub(usage.last).max(0) as f64 / DAY;
    usage.base + f64::from(usage.count.max(1)).ln() - DECAY * days
}

/// `relevance` moved by `activation`, by a fifth at most.
#[must_use]
pub fn score(relevance: f64, activation: f64) -> f64 {
    relevance * REACH.mul_add((activation / 4.0).tanh(), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const A_DAY: i64 = 86_400_000;

    fn used(count: u32, days: i64) -> f64 {
        activation(Usage { base: 0.0, count, last: NOW - days * A_DAY }, NOW)
    }

    #[test]
    fn use_raises_and_age_lowers() {
        assert_eq!(used(0, 0), 0.0);
        assert!((used(10, 0) - 10_f64.ln()).abs() < 1e-9);
        assert!((used(1, 20) + 1.0).abs() < 1e-9);
        assert!(used(10, 30) < used(10, 10) && used(2, 10) < used(3, 10));
    }

    #[test]
    fn a_clock_that_jumps_back_counts_as_no_time() {
        assert_eq!(used(1, -4_000), 0.0);
        let never = Usage { base: 0.0, count: 0, last: i64::MIN };
        assert!(activation(never, i64::MAX).is_finite());
    }

    #[test]
    fn the_boost_is_bounded_so_that_nothing_old_is_lost() {
        assert_eq!(score(10.0, 0.0), 10.0);
        assert!(score(10.0, -1e9) >= 8.0 && score(10.0, 1e9) <= 12.0);
        // A third more relevance beats any age.
        assert!(score(16.0, -1e9) > score(10.0, 1e9));
    }
}
