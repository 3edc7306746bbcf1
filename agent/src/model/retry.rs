//! Asks once more when what went wrong may well pass by itself.
//!
//! Only before the first piece: what was shown can't be taken back.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use tokio::time::{Instant, sleep};

use super::{Ask, Completion, Listener, Model, ModelError, Progress};
use crate::notice::Notice;

/// How often a completion is tried in all.
const TRIES: usize = 3;

/// The shortest delay before the second try; before the third it is twice as long. Chance adds up to as much again,
/// so that those who were turned away together don't come back together.
const PAUSE: Duration = Duration::from_secs(1);

/// The same when nothing listens: a server that starts is there in a moment, and nobody waits for one that is down.
const REFUSED_PAUSE: Duration = Duration::from_millis(150);

/// How long after the first try the last one may begin when nothing listens.
const REFUSED_WITHIN: Duration = Duration::from_millis(1_500);

/// The longest wait that a server may ask for. Who asks for more is passed over.
const LONGEST_ASKED: Duration = Duration::from_secs(30);

/// Which failures are worth another try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tries {
    /// All that may pass.
    All,
    /// All but the one that nothing listens, because nothing did the last time either.
    UnlessGone,
    /// None.
    One,
}

impl Tries {
    /// How long to wait after `tried` tries that took `elapsed` and ended in `error`; `None` when that was the last.
    fn delay(self, tried: usize, error: &ModelError, elapsed: Duration) -> Option<Duration> {
        let refused = matches!(error, ModelError::Unreachable { .. });
        if !error.may_pass() || self == Self::One || (self == Self::UnlessGone && refused) {
            return None;
        }
        let pause = if refused { REFUSED_PAUSE } else { PAUSE };
        let mut delays = ExponentialBuilder::new()
            .with_min_delay(pause)
            .with_max_times(TRIES - 1)
            .with_jitter()
            .build();
        let asked = error.retry_after().unwrap_or_default();
        let delay = delays.nth(tried - 1)?.max(asked);
        let too_late = refused && elapsed + delay > REFUSED_WITHIN;
        (asked <= LONGEST_ASKED && !too_late).then_some(delay)
    }
}

/// Completes with `model`, and tells of each further try before it waits for it.
///
/// # Errors
/// The last try's.
pub(super) async fn complete(
    model: &dyn Model,
    ask: &Ask<'_>,
    progress: &mut Listener<'_>,
    tries: Tries,
) -> Result<Completion, ModelError> {
    let began = Instant::now();
    for tried in 1.. {
        let mut has_begun = false;
        let mut watched = |step: Progress<'_>| {
            has_begun |= step.is_words();
            progress(step);
        };
        let error = match model.complete(ask, &mut watched).await {
            Ok(completion) => return Ok(completion),
            Err(error) if has_begun => return Err(error),
            Err(error) => error,
        };
        let Some(delay) = tries.delay(tried, &error, began.elapsed()) else { return Err(error) };
        progress(Progress::Notice(again(&error, tried + 1, delay)));
        sleep(delay).await;
    }
    Err(ModelError::NeedsModel)
}

/// What people hear of a further try.
fn again(error: &ModelError, number: usize, delay: Duration) -> Notice {
    let seconds = delay.as_secs_f64();
    Notice::new(format!("{}; try {number} of {TRIES} in {seconds:.1} s", error.what()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scripted::{Scripted, busy, gone, hear, overrun};

    async fn tried(model: &Scripted, tries: Tries) -> (Result<String, ModelError>, Vec<String>) {
        let mut heard = Vec::new();
        let mut hear = hear(&mut heard);
        let completed = complete(model, &Ask::plain(""), &mut hear, tries).await;
        drop(hear);
        (completed.map(|completion| completion.text), heard)
    }

    /// When each ask came, counted from the first.
    fn after(model: &Scripted) -> Vec<Duration> {
        let asked = model.asked();
        asked.iter().map(|at| *at - asked[0]).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_pass_is_tried_three_times_with_growing_delays() {
        for _ in 0..50 {
            let model = Scripted::new("a", [Err(busy(None)), Err(busy(None)), Ok("yes")]);
            let (said, heard) = tried(&model, Tries::All).await;
            assert_eq!(said.unwrap(), "yes");
            let [_, second, third] = after(&model)[..] else { panic!() };
            assert!((PAUSE..PAUSE * 2 + Duration::from_millis(5)).contains(&second), "{second:?}");
            let third = third - second;
            assert!((PAUSE * 2..PAUSE * 4 + Duration::from_millis(5)).contains(&third));
            assert!(heard[0].starts_with("a is busy (429: slow down); try 2 of 3 in "));
            assert!(heard[1].starts_with("a is busy (429: slow down); try 3 of 3 in "));
            assert_eq!(heard.len(), 3, "two notices and the words: {heard:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn chance_spreads_the_tries() {
        let delays = (0..20).filter_map(|_| Tries::All.delay(1, &busy(None), Duration::ZERO));
        let mut delays: Vec<Duration> = delays.collect();
        delays.dedup();
        assert!(delays.len() > 10, "{delays:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_third_failure_is_the_last() {
        let model = Scripted::new("a", [Err(busy(None)), Err(busy(None)), Err(busy(None))]);
        assert_eq!(tried(&model, Tries::All).await.0, Err(busy(None)));
        assert_eq!(model.asked().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_not_there_is_tried_within_two_seconds() {
        for _ in 0..50 {
            let began = Instant::now();
            let model = Scripted::new("a", [Err(gone("a")), Err(gone("a")), Err(gone("a"))]);
            assert_eq!(tried(&model, Tries::All).await.0, Err(gone("a")));
            assert_eq!(model.asked().len(), 3);
            assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_long_to_be_not_there_is_not_tried_again() {
        let model = Scripted::new("a", [Err(gone("a")), Ok("late")]).taking(PAUSE * 5);
        assert_eq!(tried(&model, Tries::All).await.0, Err(gone("a")));
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_that_a_server_asks_for_is_kept_up_to_half_a_minute() {
        let half = Duration::from_secs(30);
        let model = Scripted::new("a", [Err(busy(Some(half))), Ok("yes")]);
        let (said, heard) = tried(&model, Tries::All).await;
        assert_eq!(said.unwrap(), "yes");
        assert!(after(&model)[1] >= half && after(&model)[1] < half + PAUSE);
        assert!(heard[0].ends_with("try 2 of 3 in 30.0 s"), "{heard:?}");
        let model = Scripted::new("a", [Err(busy(Some(half + PAUSE))), Ok("yes")]);
        tried(&model, Tries::All).await.0.unwrap_err();
        assert_eq!(model.asked().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_tried_again_after_the_first_piece_or_when_it_can_not_pass() {
        let model = Scripted::new("a", [Err(busy(None)), Ok("yes")]).beginning_with("Well, ");
        let (said, heard) = tried(&model, Tries::All).await;
        assert_eq!((said, heard), (Err(busy(None)), vec!["Well, ".to_owned()]));
        let model = Scripted::new("a", [Err(overrun()), Ok("yes")]);
        assert_eq!(tried(&model, Tries::All).await, (Err(overrun()), Vec::new()));
        let model = Scripted::new("a", [Err(gone("a")), Ok("yes")]);
        assert_eq!(tried(&model, Tries::UnlessGone).await, (Err(gone("a")), Vec::new()));
        let model = Scripted::new("a", [Err(busy(None)), Ok("yes")]);
        assert_eq!(tried(&model, Tries::One).await, (Err(busy(None)), Vec::new()));
    }
}
