//! Asks once more when what went wrong may well pass by itself.
//!
//! Only before the first word that people see: what was shown can't be taken back.

use std::fmt;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use document::Notice;
use tokio::time::{Instant, sleep};

use super::{Ask, Completion, Listener, Model, ModelError, Progress};

/// How often a completion is tried in all, unless the server is busy.
const TRIES: usize = 3;

/// How long after the first try one may still begin to wait for a server that is busy. Limits of requests are counted by
/// the second or the minute, and a moment later there is room.
const BUSY_WITHIN: Duration = Duration::from_secs(15);

/// The longest delay between two tries at a server that is busy and does not say how long, before chance adds to it.
const BUSY_PAUSE: Duration = Duration::from_secs(2);

/// The shortest delay before the second try; before the third it is twice as long. Chance adds up to as much again,
/// so that those who were turned away together don't come back together.
const PAUSE: Duration = Duration::from_secs(1);

/// The same when nothing listens: a server that starts is there in a moment, and nobody waits for one that is down.
const REFUSED_PAUSE: Duration = Duration::from_millis(150);

/// How long after the first try the last one may begin when nothing listens.
const REFUSED_WITHIN: Duration = Duration::from_millis(1_500);

/// The longest wait that a server may ask for. Who asks for more is passed over, and left alone for so long.
pub(super) const LONGEST_ASKED: Duration = Duration::from_secs(30);

/// Which failures are worth another try, from the fewest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tries {
    /// None.
    One,
    /// All but the one that nothing listens, because nothing did the last time either.
    UnlessGone,
    /// All that may pass.
    All,
}

impl Tries {
    /// How long to wait after `tried` tries that took `elapsed` and ended in `error`; `None` when that was the last.
    fn delay(self, tried: usize, error: &ModelError, elapsed: Duration) -> Option<Duration> {
        if !error.may_pass() || self == Self::One {
            return None;
        }
        match error {
            ModelError::Unreachable { .. } if self == Self::UnlessGone => None,
            ModelError::Unreachable { .. } => {
                let delay = growing(REFUSED_PAUSE).with_max_times(TRIES - 1).build().nth(tried - 1);
                delay.filter(|delay| elapsed + *delay <= REFUSED_WITHIN)
            }
            ModelError::Busy { retry_after, .. } => {
                let asked = retry_after.unwrap_or_default();
                let delays = growing(PAUSE).with_max_delay(BUSY_PAUSE).without_max_times();
                let delay = delays.build().nth(tried - 1)?.max(asked);
                (asked <= LONGEST_ASKED && elapsed < BUSY_WITHIN).then_some(delay)
            }
            _ => growing(PAUSE).with_max_times(TRIES - 1).build().nth(tried - 1),
        }
    }
}

/// Delays that begin with `first`; each is twice as long as the one before, and chance adds up to as much again.
fn growing(first: Duration) -> ExponentialBuilder {
    ExponentialBuilder::new().with_min_delay(first).with_jitter()
}

/// How a completion has failed in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tried {
    /// How the last try did.
    pub(super) error: ModelError,
    /// How many there were; 0 if it was not even asked.
    pub(super) tries: usize,
}

/// In one line: what happened, after how many tries if more than one could have helped, and what mends it.
impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error.what())?;
        match self.tries {
            0 => {}
            _ if !self.error.may_pass() => {}
            1 => f.write_str(", after 1 try")?,
            tries => write!(f, ", after {tries} tries")?,
        }
        match &*self.error.mend() {
            "" => Ok(()),
            mend => write!(f, "; {mend}"),
        }
    }
}

/// Completes with `model`, and tells of each further try before it waits for it; of those at a server that is busy, once.
///
/// # Errors
/// The last try's.
pub(super) async fn complete(
    model: &dyn Model,
    ask: &Ask<'_>,
    progress: &mut Listener<'_>,
    tries: Tries,
) -> Result<Completion, Tried> {
    let began = Instant::now();
    let (name, mut busy_is_told) = (model.name(), false);
    for tried in 1.. {
        progress(Progress::Asked { by: &name, number: tried });
        let error = match model.complete(ask, progress).await {
            Ok(completion) => return Ok(completion),
            Err(error) => error,
        };
        let delay = tries.delay(tried, &error, began.elapsed()).filter(|_| !ask.was_shown());
        let Some(delay) = delay else { return Err(Tried { error, tries: tried }) };
        let is_busy = matches!(error, ModelError::Busy { .. });
        if !(is_busy && std::mem::replace(&mut busy_is_told, is_busy)) {
            progress(Progress::Notice(again(&error, tried + 1, delay)));
        }
        sleep(delay).await;
    }
    Err(Tried { error: ModelError::NeedsModel, tries: 0 })
}

/// What people hear of a further try.
fn again(error: &ModelError, number: usize, delay: Duration) -> Notice {
    let (what, seconds) = (error.what(), delay.as_secs_f64());
    // What a person can do before the next try; asking again is done here.
    let mend = match error {
        ModelError::Busy { .. } | ModelError::Unreachable { .. } => format!("; {}", error.mend()),
        _ => String::new(),
    };
    let notice = Notice::new(match error {
        ModelError::Busy { .. } => {
            let within = BUSY_WITHIN.as_secs();
            format!("{what}; try {number} in {seconds:.1} s, and more within {within} s{mend}")
        }
        _ => format!("{what}; try {number} of {TRIES} in {seconds:.1} s{mend}"),
    });
    match number {
        2 => notice.for_guests("the model does not answer; it is asked again"),
        _ => notice,
    }
}

#[cfg(test)]
mod tests {
    use protocol::SessionKey;

    use super::*;
    use crate::Hearer;
    use crate::scripted::{Scripted, broken, busy, gone, hear, overrun};

    const TEN: Duration = Duration::from_secs(10);

    /// By how much paused time may be late: it goes on in whole milliseconds.
    const TICKS: Duration = Duration::from_millis(20);

    async fn tried(model: &Scripted, tries: Tries) -> (Result<String, ModelError>, Vec<String>) {
        let mut heard = Vec::new();
        let mut hear = hear(&mut heard);
        let completed = complete(model, &Ask::plain(""), &mut hear, tries).await;
        drop(hear);
        let completed = completed.map(|completion| completion.text);
        if let Err(tried) = &completed {
            assert_eq!(tried.tries, model.asked().len());
        }
        (completed.map_err(|tried| tried.error), heard)
    }

    #[test]
    fn the_tries_are_told_where_they_could_have_helped() {
        let line = |error, tries| Tried { error, tries }.to_string();
        let lines =
            [line(broken(), 3), line(busy(None), 1), line(overrun(), 1), line(gone("a"), 0)];
        insta::assert_snapshot!(lines.join("\n"), @r"
        the model server at a answered 500: boom, after 3 tries; ask again, or another with `/model TARGET`
        a is busy (429: slow down), after 1 try; wait a little, or name another with `safeclaw agent config fallback`
        the prompt is too long for m at a (9000 tokens); say it in fewer words, or `/clear`
        nothing answers at a (connection refused); start it with `ollama serve`
        ");
    }

    /// When each ask came, counted from the first.
    fn after(model: &Scripted) -> Vec<Duration> {
        let asked = model.asked();
        asked.iter().map(|at| *at - asked[0]).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_pass_is_tried_three_times_with_growing_delays() {
        for _ in 0..50 {
            let model = Scripted::new("a", [Err(broken()), Err(broken()), Ok("yes")]);
            let (said, heard) = tried(&model, Tries::All).await;
            assert_eq!(said.unwrap(), "yes");
            let [_, second, third] = after(&model)[..] else { panic!() };
            assert!((PAUSE..PAUSE * 2 + Duration::from_millis(5)).contains(&second), "{second:?}");
            let third = third - second;
            assert!((PAUSE * 2..PAUSE * 4 + Duration::from_millis(5)).contains(&third));
            assert!(heard[0].contains("; try 2 of 3 in "), "{heard:?}");
            assert!(heard[1].contains("; try 3 of 3 in "), "{heard:?}");
            assert_eq!(heard.len(), 3, "two notices and the words: {heard:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn chance_spreads_the_tries() {
        for error in [busy(None), broken()] {
            let delays = (0..20).filter_map(|_| Tries::All.delay(1, &error, Duration::ZERO));
            let mut delays: Vec<Duration> = delays.collect();
            delays.dedup();
            assert!(delays.len() > 10, "{delays:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_third_failure_is_the_last() {
        let model = Scripted::new("a", [Err(broken()), Err(broken()), Err(broken())]);
        assert_eq!(tried(&model, Tries::All).await.0, Err(broken()));
        assert_eq!(model.asked().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_busy_for_ten_seconds_answers_in_the_end_and_that_is_told_once() {
        for wait in [None, Some(0), Some(1), Some(4), Some(10)] {
            for _ in 0..50 {
                let error = busy(wait.map(Duration::from_secs));
                let model = Scripted::new("a", [Ok("yes")]).failing_for(TEN, error);
                let (said, heard) = tried(&model, Tries::All).await;
                assert_eq!(said.unwrap(), "yes", "{wait:?}");
                let [first, words] = heard.as_slice() else { panic!("{heard:?}") };
                assert!(first.starts_with("a is busy (429: slow down); try 2 in "), "{first}");
                assert!(first.contains(" s, and more within 15 s; wait a little"), "{first}");
                assert_eq!(words, "yes");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_stays_busy_is_given_up_after_a_while_and_not_asked_too_often() {
        for _ in 0..50 {
            let began = Instant::now();
            let model = Scripted::new("a", []).failing_for(TEN * 60, busy(None));
            assert_eq!(tried(&model, Tries::All).await.0, Err(busy(None)));
            let last = began.elapsed();
            assert!((BUSY_WITHIN..BUSY_WITHIN + BUSY_PAUSE * 2 + TICKS).contains(&last));
            assert!((5..=10).contains(&model.asked().len()), "{}", model.asked().len());
        }
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
        assert!(heard[0].contains("; try 2 in 30.0 s, "), "{heard:?}");
        let model = Scripted::new("a", [Err(busy(Some(half + PAUSE))), Ok("yes")]);
        tried(&model, Tries::All).await.0.unwrap_err();
        assert_eq!(model.asked().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_tried_again_after_the_first_word_that_was_shown() {
        for (is_shown, expected) in [(true, Err(busy(None))), (false, Ok("yes".to_owned()))] {
            let says = [Err(busy(None)), Ok("yes")];
            let model = Scripted::new("a", says).beginning_with("{\"thought\": \"Well, ");
            let hearer = Hearer::of(&SessionKey::new("owner").unwrap());
            let mut see = |step: Progress<'_>| {
                if step.is_words() && is_shown {
                    hearer.sees();
                }
            };
            let ask = Ask::plain("").heard_by(&hearer);
            let completed = complete(&model, &ask, &mut see, Tries::All).await;
            let said = completed.map(|completion| completion.text).map_err(|tried| tried.error);
            assert_eq!(said, expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_tried_again_when_it_can_not_pass() {
        let model = Scripted::new("a", [Err(overrun()), Ok("yes")]);
        assert_eq!(tried(&model, Tries::All).await, (Err(overrun()), Vec::new()));
        let model = Scripted::new("a", [Err(gone("a")), Ok("yes")]);
        assert_eq!(tried(&model, Tries::UnlessGone).await, (Err(gone("a")), Vec::new()));
        let model = Scripted::new("a", [Err(busy(None)), Ok("yes")]);
        assert_eq!(tried(&model, Tries::One).await, (Err(busy(None)), Vec::new()));
    }
}
