//! What of an endpoint's memory is in force, for people.

use protocol::Millis;

use super::{Memo, SizedBy};
use crate::Refused;
use crate::{Held, InForce, Way, Why};

impl Memo {
    /// What holds, if the owner wishes for this way and for a window of so many tokens.
    pub(in crate::endpoint) fn in_force(&self, way: Option<Way>, window: Option<u64>) -> InForce {
        self.refresh();
        let way = match way {
            Some(value) => Held { value, why: Why::Set },
            None => self.way_in_force(),
        };
        let largest = self.lock().learned.window.filter(|_| self.sized == SizedBy::Asker);
        let (window, sees) = (self.window_in_force(window), self.sight_in_force());
        InForce { way, first: self.first, window, largest, sees }
    }

    fn way_in_force(&self) -> Held<Way> {
        let now = self.known.now();
        match self.lock().learned.way_at(now) {
            Some((value, refused)) => Held { value, why: because(refused, now) },
            None => Held { value: self.first, why: Why::Usual },
        }
    }

    fn window_in_force(&self, wish: Option<u64>) -> Held<u64> {
        let (value, now) = (self.size(wish).window, self.known.now());
        let state = self.lock();
        let why = match (&state.learned.prompt_refused, state.learned.window) {
            _ if wish == Some(value) => Why::Set,
            // A window that is known from nothing else stays known.
            (Some(refused), Some(_)) => {
                Why::Refused { words: refused.words.clone(), ago: ago(refused, now), left: None }
            }
            (None, Some(limit)) if limit == value => Why::Said,
            _ if self.sized == SizedBy::Asker => Why::Usual,
            _ => Why::Guessed,
        };
        Held { value, why }
    }

    fn sight_in_force(&self) -> Held<bool> {
        let (value, now) = (self.sees(), self.known.now());
        let state = self.lock();
        let why = match state.learned.picture_refused_at(now) {
            Some(refused) if state.is_blind || self.vision.is_none() => because(refused, now),
            _ if self.vision.is_some() => Why::Set,
            _ if state.sees.is_some() => Why::Said,
            _ => Why::Guessed,
        };
        Held { value, why }
    }
}

fn because(refused: &Refused, now: Millis) -> Why {
    Why::Refused { words: refused.words.clone(), ago: ago(refused, now), left: refused.left(now) }
}

fn ago(refused: &Refused, now: Millis) -> std::time::Duration {
    now.since(refused.at)
}
