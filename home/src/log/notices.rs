//! Warnings of a process as notices for people: each one once, in its own words, without a time.
//!
//! A time and a level help whoever reads a log. Whoever sits at a prompt wants one sentence, above the line that is being
//! typed, and not again what was just said.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// How long the same words are not said again.
const QUIET: Duration = Duration::from_secs(60 * 60);

/// How many different ones are remembered.
const REMEMBERED: usize = 256;

/// How many wait until somebody listens.
const WAITING: usize = 64;

/// What hands a notice on. It must not wait.
type Tell = Arc<dyn Fn(String) + Send + Sync>;

/// A layer of a subscriber that makes a notice of each warning and error. Clones are the same one.
#[derive(Clone)]
pub struct Notices(Arc<Mutex<State>>);

struct State {
    way: Way,
    /// When each one was said last.
    said: HashMap<String, Instant>,
}

enum Way {
    /// Nobody listens yet.
    Waiting(Vec<String>),
    Stderr,
    To(Tell),
}

impl Notices {
    /// Notices that wait, as far as there are not too many, until [`Self::tell_to`] names a listener.
    #[must_use]
    pub fn waiting() -> Self {
        Self::of(Way::Waiting(Vec::new()))
    }

    /// Notices that are lines on stderr until [`Self::tell_to`] names a listener.
    #[must_use]
    pub fn on_stderr() -> Self {
        Self::of(Way::Stderr)
    }

    fn of(way: Way) -> Self {
        Self(Arc::new(Mutex::new(State { way, said: HashMap::new() })))
    }

    /// From now on `tell` is given each one, those that have waited first.
    pub fn tell_to(&self, tell: impl Fn(String) + Send + Sync + 'static) {
        let tell: Tell = Arc::new(tell);
        let before = std::mem::replace(&mut self.state().way, Way::To(Arc::clone(&tell)));
        if let Way::Waiting(waiting) = before {
            waiting.into_iter().for_each(|notice| tell(notice));
        }
    }

    /// From now on each one is a line on stderr: nobody listens any more.
    pub fn tell_stderr(&self) {
        self.state().way = Way::Stderr;
    }

    /// Says `notice`, unless it was said a short while ago.
    fn say(&self, notice: String) {
        let tell = {
            let mut state = self.state();
            if !state.is_new(&notice, Instant::now()) {
                return;
            }
            match &mut state.way {
                Way::Waiting(waiting) => {
                    if waiting.len() < WAITING {
                        waiting.push(notice);
                    }
                    return;
                }
                Way::Stderr => None,
                Way::To(tell) => Some(Arc::clone(tell)),
            }
        };
        // Without the lock: whoever is told may warn as well.
        match tell {
            Some(tell) => tell(notice),
            // Whoever has closed stderr does not want to hear it.
            None => drop(writeln!(io::stderr(), "warning: {notice}")),
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, it is still whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_new(&mut self, notice: &str, now: Instant) -> bool {
        self.said.retain(|_, at| now.duration_since(*at) < QUIET);
        if self.said.contains_key(notice) {
            return false;
        }
        if self.said.len() < REMEMBERED {
            self.said.insert(notice.to_owned(), now);
        }
        true
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").finish_non_exhaustive()
    }
}

impl<S: Subscriber> Layer<S> for Notices {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() > Level::WARN {
            return;
        }
        let mut words = Words::default();
        event.record(&mut words);
        if !words.0.is_empty() {
            self.say(words.0);
        }
    }
}

/// The message of an event with its `error`. Other fields are for the log.
#[derive(Default)]
struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String can't fail.
        let _ = match field.name() {
            // The message comes first (tracing's macros), and stands before the error whatever comes.
            "message" => {
                let error = std::mem::take(&mut self.0);
                write!(self.0, "{value:?}{error}")
            }
            "error" => write!(self.0, ": {value:?}"),
            _ => Ok(()),
        };
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn each_warning_is_told_once_in_its_own_words() {
        let (notices, heard) = (Notices::waiting(), Arc::new(Mutex::new(Vec::new())));
        let subscriber = tracing_subscriber::registry().with(notices.clone());
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!("nobody has to know");
            tracing::warn!("it is broken");
            let listener = Arc::clone(&heard);
            notices.tell_to(move |notice| listener.lock().unwrap().push(notice));
            for _ in 0..2 {
                tracing::warn!("it is broken");
                let error = io::Error::other("the disk is full");
                tracing::error!(%error, path = "a.json", "it can't be kept");
            }
        });
        let heard = heard.lock().unwrap().clone();
        assert_eq!(heard, ["it is broken", "it can't be kept: the disk is full"]);
    }

    #[test]
    fn what_was_said_long_ago_is_said_again_and_not_all_is_remembered() {
        let mut state = State { way: Way::Stderr, said: HashMap::new() };
        let now = Instant::now();
        assert!(state.is_new("a", now) && !state.is_new("a", now + QUIET / 2));
        assert!(state.is_new("a", now + QUIET));
        for number in 0..2 * REMEMBERED {
            assert!(state.is_new(&number.to_string(), now + QUIET));
        }
        assert_eq!(state.said.len(), REMEMBERED);
    }
}
