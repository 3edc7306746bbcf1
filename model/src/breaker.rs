//! Leaves a server, or one model of it, alone for a while after it has failed too often: a circuit breaker.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::ModelError;
use super::retry::{LONGEST_ASKED, Tries};

/// How many completions in a row fail before an endpoint rests.
const FAILURES: u32 = 3;

/// How long it rests before one completion is let through to see whether it is back.
const REST: Duration = Duration::from_secs(30);

/// The same when nothing listens: to see that costs nothing, and who has just started the server wants it to answer.
const REFUSED_REST: Duration = Duration::from_secs(5);

/// The longest rest that a server can ask for: its limits may be raised meanwhile, and one question costs little.
const LONGEST_REST: Duration = Duration::from_secs(10 * 60);

/// Counts an endpoint's failures, and says whether it may be asked.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How many completions in a row have failed, and how the last one did.
    failures: u32,
    last: Option<ModelError>,
    /// Until when it rests; stays when that is over, until a trial has ended.
    rests: Option<Instant>,
    /// Whether a trial runs.
    tries: bool,
}

/// How a breaker stands, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The endpoint is asked.
    Closed {
        /// How often in a row it has failed.
        failures: u32,
    },
    /// It is left alone.
    Open {
        /// How long still.
        left: Duration,
        /// How often in a row it has failed.
        failures: u32,
    },
    /// One completion may try it.
    HalfOpen,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { failures: 0 } => f.write_str("ready"),
            Self::Closed { failures: 1 } => f.write_str("the last try failed"),
            Self::Closed { failures } => write!(f, "the last {failures} tries failed"),
            Self::Open { left, failures } => {
                let left = seconds(*left);
                match failures {
                    1 => write!(f, "not asked for another {left} s, because the last try failed"),
                    _ => write!(
                        f,
                        "not asked for another {left} s, because the last {failures} tries failed"
                    ),
                }
            }
            Self::HalfOpen => f.write_str("the next message tries it again"),
        }
    }
}

/// In whole seconds, the last one not cut off.
fn seconds(left: Duration) -> u64 {
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

impl Breaker {
    /// Lets one completion through to what people call `name`.
    ///
    /// # Errors
    /// [`ModelError::Resting`] while it is open, and while another completion tries it.
    pub(super) fn pass(&self, name: &str) -> Result<Pass<'_>, ModelError> {
        let mut state = self.state();
        let tries = match (state.rests, &state.last) {
            (Some(until), Some(last)) => {
                let left = until.saturating_duration_since(Instant::now());
                if state.tries || !left.is_zero() {
                    let left = Duration::from_secs(seconds(left).max(1));
                    let (address, last) = (name.to_owned(), Box::new(last.clone()));
                    return Err(ModelError::Resting {
                        address,
                        left,
                        failures: state.failures,
                        last,
                    });
                }
                state.tries = true;
                Tries::One
            }
            (_, Some(ModelError::Unreachable { .. })) => Tries::UnlessGone,
            _ => Tries::All,
        };
        Ok(Pass { breaker: self, tries })
    }

    /// How it stands now.
    #[must_use]
    pub(super) fn standing(&self) -> Standing {
        let state = self.state();
        let left = state.rests.map(|until| until.saturating_duration_since(Instant::now()));
        match left {
            None => Standing::Closed { failures: state.failures },
            Some(left) if left.is_zero() => Standing::HalfOpen,
            Some(left) => Standing::Open { left, failures: state.failures },
        }
    }

    /// Takes in how a completion, or a look at the endpoint, has ended.
    pub(super) fn ended(&self, failure: Option<&ModelError>) {
        let mut state = self.state();
        match failure {
            Some(error) if is_its_fault(error) => {
                state.failures += 1;
                state.last = Some(error.clone());
                if let Some(rest) = rest(state.failures, error) {
                    state.rests = Some(Instant::now() + rest);
                }
            }
            _ => *state = State::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long it rests after so many failures in a row, of which `last` was the last; `None` when it does not.
fn rest(failures: u32, last: &ModelError) -> Option<Duration> {
    // A shorter wait is kept by whoever asks, while it asks.
    let asked = last.retry_after().filter(|asked| *asked > LONGEST_ASKED);
    let usual = match last {
        ModelError::Unreachable { .. } => REFUSED_REST,
        _ => REST,
    };
    let usual = (failures >= FAILURES).then_some(usual);
    asked.map(|asked| asked.min(LONGEST_REST)).max(usual)
}

/// Whether the endpoint would do better after a rest. Who answers that the model, the key or the prompt is wrong
/// is well.
fn is_its_fault(error: &ModelError) -> bool {
    !matches!(
        error,
        ModelError::Overrun { .. }
            | ModelError::OnlyThought { .. }
            | ModelError::Declined { .. }
            | ModelError::TooLong { .. }
            | ModelError::UnknownModel { .. }
            | ModelError::WrongKey { .. }
            | ModelError::Settings(_)
            | ModelError::NeedsModel
    )
}

/// The right to ask once. Dropped unused, because a person has stopped the answer, it leaves all as it was.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    breaker: &'a Breaker,
    /// Which failures are worth another try.
    pub(super) tries: Tries,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.tries == Tries::One {
            self.breaker.state().tries = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;
    use crate::scripted::{busy, gone, overrun, too_long, unknown};

    fn fails(breaker: &Breaker, error: ModelError) {
        let pass = breaker.pass("a").unwrap();
        breaker.ended(Some(&error));
        drop(pass);
    }

    fn open() -> Breaker {
        let breaker = Breaker::default();
        for failures in 0..FAILURES {
            assert_eq!(breaker.standing(), Standing::Closed { failures });
            fails(&breaker, busy(None));
        }
        breaker
    }

    #[tokio::test(start_paused = true)]
    async fn it_opens_after_three_failures_in_a_row_and_says_for_how_long() {
        let breaker = open();
        assert_eq!(breaker.standing(), Standing::Open { left: REST, failures: 3 });
        advance(Duration::from_secs(12)).await;
        insta::assert_snapshot!(
            breaker.pass("m at a").unwrap_err(),
            @"a is busy (429: slow down), asked again in 18 s; wait a little, or name another with `safeclaw agent config fallback`"
        );
        insta::assert_snapshot!(breaker.standing(), @"not asked for another 18 s, because the last 3 tries failed");
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_for_a_longer_wait_than_anybody_waits_is_given_it_at_once() {
        for (asked, expected) in [(31, 31), (120, 120), (3_600, 600)] {
            let (asked, left) = (Duration::from_secs(asked), Duration::from_secs(expected));
            let breaker = Breaker::default();
            fails(&breaker, busy(Some(asked)));
            assert_eq!(breaker.standing(), Standing::Open { left, failures: 1 });
            advance(left - Duration::from_secs(1)).await;
            let told = breaker.pass("m at a").unwrap_err().to_string();
            assert!(told.starts_with("a is busy (429: "), "{told}");
            assert!(told.contains("), asked again in 1 s; "), "{told}");
            let standing = breaker.standing().to_string();
            assert_eq!(standing, "not asked for another 1 s, because the last try failed");
            advance(Duration::from_secs(1)).await;
            assert_eq!(breaker.pass("m at a").unwrap().tries, Tries::One);
        }
        let breaker = Breaker::default();
        fails(&breaker, busy(Some(Duration::from_secs(30))));
        assert_eq!(breaker.standing(), Standing::Closed { failures: 1 });
    }

    #[tokio::test(start_paused = true)]
    async fn a_success_in_between_begins_the_count_anew() {
        let breaker = Breaker::default();
        for _ in 0..4 {
            fails(&breaker, busy(None));
            fails(&breaker, busy(None));
            breaker.ended(None);
            assert_eq!(breaker.standing(), Standing::Closed { failures: 0 });
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_its_rest_one_is_let_through_and_a_success_closes_it() {
        let breaker = open();
        advance(REST).await;
        assert_eq!(breaker.standing(), Standing::HalfOpen);
        let trial = breaker.pass("a").unwrap();
        assert_eq!(trial.tries, Tries::One);
        assert!(matches!(breaker.pass("a"), Err(ModelError::Resting { .. })), "one at a time");
        breaker.ended(None);
        drop(trial);
        assert_eq!(breaker.standing(), Standing::Closed { failures: 0 });
        assert_eq!(breaker.pass("a").unwrap().tries, Tries::All);
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_fails_opens_it_again_and_one_that_is_stopped_does_not() {
        let breaker = open();
        advance(REST).await;
        drop(breaker.pass("a").unwrap());
        assert_eq!(breaker.standing(), Standing::HalfOpen);
        fails(&breaker, busy(None));
        assert_eq!(breaker.standing(), Standing::Open { left: REST, failures: 4 });
        advance(REST).await;
        assert_eq!(breaker.pass("a").unwrap().tries, Tries::One);
    }

    #[tokio::test(start_paused = true)]
    async fn what_no_rest_mends_does_not_open_it() {
        let breaker = Breaker::default();
        let thought = ModelError::OnlyThought {
            address: "a".to_owned(),
            model: "m".to_owned(),
            tokens: 2_048,
            mend: String::new(),
        };
        for error in [overrun(), unknown("a"), thought, too_long()] {
            fails(&breaker, error);
        }
        assert_eq!(breaker.standing(), Standing::Closed { failures: 0 });
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_not_there_rests_for_a_moment_only() {
        let breaker = Breaker::default();
        for _ in 0..FAILURES {
            fails(&breaker, gone("a"));
        }
        assert_eq!(breaker.standing(), Standing::Open { left: REFUSED_REST, failures: 3 });
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_not_there_is_asked_once() {
        let breaker = Breaker::default();
        fails(&breaker, gone("a"));
        assert_eq!(breaker.pass("a").unwrap().tries, Tries::UnlessGone);
    }
}
