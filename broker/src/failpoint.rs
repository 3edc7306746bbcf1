//! Points on a command's way at which a router process can be told to die, for `cargo xtask chaos`. Without the
//! feature `failpoints` there is nothing behind them.

/// A point on a command's way through a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// The server has handed it over, and this router has not taken it into its hands.
    Claimed,
    /// Its skill is about to be begun.
    BeforeSkill,
    /// Its skill runs.
    MidSkill,
    /// Its skill has ended, and nobody has been told.
    AfterSkill,
    /// Its reply is about to be written.
    BeforeFinish,
    /// First step of an end on a cluster: its reply is kept.
    Kept,
    /// Second step of an end on a cluster: its reply is sent.
    Sent,
    /// It has ended on the server, and this router does not know.
    AfterFinish,
    /// This router has taken over what a dead one held.
    Reaped,
    /// This router is about to give back what it has in its hands, and to leave.
    Leaving,
}

#[cfg(feature = "failpoints")]
pub use armed::{ENV, in_steps, pass};

/// Goes on: this build has no failpoints.
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn pass(_: Point) {}

/// Whether commands end in the steps of a cluster although there is none.
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn in_steps() -> bool {
    false
}

#[cfg(feature = "failpoints")]
mod armed {
    use std::fmt;
    use std::str::FromStr;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    use super::Point;

    /// The variable that arms one point, as `<point>` or `<point>:<how often it is passed, this time included>`.
    pub const ENV: &str = "SAFECLAW_FAILPOINT";

    impl Point {
        /// All points, in the order of a command's way.
        pub const ALL: [Self; 10] = [
            Self::Claimed,
            Self::BeforeSkill,
            Self::MidSkill,
            Self::AfterSkill,
            Self::BeforeFinish,
            Self::Kept,
            Self::Sent,
            Self::AfterFinish,
            Self::Reaped,
            Self::Leaving,
        ];
    }

    impl fmt::Display for Point {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.pad(match self {
                Self::Claimed => "claimed",
                Self::BeforeSkill => "before_skill",
                Self::MidSkill => "mid_skill",
                Self::AfterSkill => "after_skill",
                Self::BeforeFinish => "before_finish",
                Self::Kept => "kept",
                Self::Sent => "sent",
                Self::AfterFinish => "after_finish",
                Self::Reaped => "reaped",
                Self::Leaving => "leaving",
            })
        }
    }

    impl FromStr for Point {
        type Err = String;
        fn from_str(word: &str) -> Result<Self, String> {
            let known = Self::ALL.into_iter().find(|point| point.to_string() == word);
            known.ok_or_else(|| format!("{word:?} is no failpoint"))
        }
    }

    struct Armed {
        point: Point,
        left: AtomicU32,
    }

    #[expect(clippy::disallowed_methods, reason = "no build that is installed has this module")]
    static ARMED: LazyLock<Option<Armed>> = LazyLock::new(|| {
        let armed = std::env::var(ENV).ok()?;
        read(&armed).inspect_err(|problem| tracing::error!("{ENV} is not heeded: {problem}")).ok()
    });

    fn read(armed: &str) -> Result<Armed, String> {
        let (word, nth) = armed.split_once(':').unwrap_or((armed, "1"));
        let nth = nth.parse().map_err(|_| format!("{nth:?} is no number"))?;
        Ok(Armed { point: word.parse()?, left: AtomicU32::new(nth) })
    }

    /// Kills this process without a chance to do anything else, if it was told to die at this point.
    pub fn pass(point: Point) {
        let Some(armed) = ARMED.as_ref().filter(|armed| armed.point == point) else { return };
        if armed.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            // It can't fail on one's own process.
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }

    /// Whether commands end in the steps of a cluster although there is none: when one of these steps is armed.
    #[must_use]
    pub fn in_steps() -> bool {
        ARMED.as_ref().is_some_and(|armed| matches!(armed.point, Point::Kept | Point::Sent))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn parts(armed: &str) -> Result<(Point, u32), String> {
            read(armed).map(|Armed { point, left }| (point, left.into_inner()))
        }

        #[test]
        fn a_point_is_named_and_may_be_counted() {
            for point in Point::ALL {
                assert_eq!(parts(&point.to_string()), Ok((point, 1)));
            }
            assert_eq!(parts("mid_skill:3"), Ok((Point::MidSkill, 3)));
            assert!(parts("nowhere").is_err());
            assert!(parts("mid_skill:often").is_err());
        }
    }
}
