//! What the people of each session have heard of a chain.

use std::collections::HashMap;
use std::mem::Discriminant;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{OWNER, SessionKey};

use crate::{Hearer, ModelError};

/// What the people of each session know. Those who know of no failure are not in it.
#[derive(Debug, Default)]
pub(super) struct Told(Mutex<HashMap<SessionKey, Known>>);

/// What the people of one session know.
#[derive(Debug, Default)]
struct Known {
    /// Which link answered last.
    answers: usize,
    /// Which links have failed, and how, since they answered last.
    failures: Vec<(usize, Kind)>,
}

/// A way of failing.
type Kind = (Discriminant<ModelError>, u16);

/// The way in which a link has failed. A rest is nothing new to who has heard of the failure that it follows.
fn kind(failure: &ModelError) -> Kind {
    match failure {
        ModelError::Resting { last, .. } => last.kind(),
        failure => failure.kind(),
    }
}

impl Told {
    /// The owner was told at the start that the first link fails, and that somebody else answers.
    pub(super) fn at_start(failure: &ModelError) -> Self {
        let known = Known { answers: 1, failures: vec![(0, kind(failure))] };
        let known = SessionKey::new(OWNER).ok().map(|owner| (owner, known));
        Self(Mutex::new(known.into_iter().collect()))
    }

    /// Whether `hearer` knows that `link` fails like that.
    pub(super) fn knows(&self, hearer: &Hearer, link: usize, failure: &ModelError) -> bool {
        let known = self.known();
        let known = known.get(hearer.session());
        known.is_some_and(|known| known.failures.contains(&(link, kind(failure))))
    }

    /// Whether `hearer` believes that somebody else than `link` answers.
    pub(super) fn expects_another(&self, hearer: &Hearer, link: usize) -> bool {
        self.known().get(hearer.session()).is_some_and(|known| known.answers != link)
    }

    /// `hearer` hears that `link` fails like that.
    pub(super) fn fails(&self, hearer: &Hearer, link: usize, failure: &ModelError) {
        let mut known = self.known();
        let known = known.entry(hearer.session().clone()).or_default();
        if !known.failures.contains(&(link, kind(failure))) {
            known.failures.push((link, kind(failure)));
        }
    }

    /// `hearer` sees that `link` answers.
    pub(super) fn answers(&self, hearer: &Hearer, link: usize) {
        let mut known = self.known();
        if link == 0 {
            known.remove(hearer.session());
            return;
        }
        let known = known.entry(hearer.session().clone()).or_default();
        known.answers = link;
        known.failures.retain(|(at, _)| *at != link);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionKey, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
