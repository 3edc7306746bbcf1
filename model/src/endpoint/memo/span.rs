//! For how long something is known: what was kept, what a server says of itself, and when it is taken anew.

use std::time::Duration;

use llm::Listed;
use protocol::Millis;

use super::{Memo, SMALLEST, State};
use crate::Learned;

/// How long what a server says of itself is taken to be so.
const DESCRIBED: Duration = Duration::from_secs(60 * 60);

/// How much of what a server calls its versions is kept, in characters.
const BUILD: usize = 200;

impl Memo {
    /// Takes over what others have learned or forgotten of it meanwhile.
    pub(in crate::endpoint) fn refresh(&self) {
        let kept = self.known.recall(&self.address, &self.model);
        let mut state = self.lock();
        if kept != state.kept {
            state.learned = kept.clone();
            state.kept = kept;
            // What the server said may be among what was forgotten.
            state.asked = None;
        }
    }

    /// Keeps what was learned for the next start.
    pub(in crate::endpoint) fn keep(&self) {
        let learned = self.lock().learned.clone();
        self.known.remember(&self.address, &self.model, learned);
        let kept = self.known.recall(&self.address, &self.model);
        self.lock().kept = kept;
    }

    /// Whether the server must still be asked what it is.
    pub(in crate::endpoint) fn wants_description(&self) -> bool {
        let now = self.known.now();
        let is_recent = |asked: Millis| Duration::from_millis(now.0.abs_diff(asked.0)) < DESCRIBED;
        !self.lock().asked.is_some_and(is_recent)
    }

    /// The server was asked, and said this of the model; nothing in it if it said nothing.
    pub(in crate::endpoint) fn described(&self, said: Listed) {
        let mut state = self.lock();
        state.asked = Some(self.known.now());
        state.room_again();
        let build = said.build.map(|build| build.chars().take(BUILD).collect::<String>());
        if build.is_some() && state.learned.build.is_some() && build != state.learned.build {
            tracing::info!(
                address = self.address,
                ?build,
                "the server or the model is another one"
            );
            state.take_anew();
            state.thinks = false;
        }
        state.learned.build = build.or(state.learned.build.take());
        state.sees = said.sees.or(state.sees);
        state.thinks |= said.thinks == Some(true);
        state.parameters = said.parameters.or(state.parameters);
        if let Some(window) = said.window.filter(|&window| window >= SMALLEST) {
            state.learned.window = Some(window);
            state.learned.prompt_refused = None;
        }
    }

    /// The connection to the server was lost: who answers next may be another one.
    pub(in crate::endpoint) fn lost(&self) {
        self.lock().asked = None;
    }

    /// Forgets what the server has refused and said. What it counted stays.
    pub(in crate::endpoint) fn forget(&self) {
        let mut state = self.lock();
        state.take_anew();
        let bytes_per_token = state.learned.bytes_per_token;
        state.learned = Learned { bytes_per_token, ..Learned::default() };
        (state.asked, state.sees, state.parameters) = (None, None, None);
        drop(state);
        self.keep();
    }
}

impl State {
    /// What was refused may be taken from now on. Which way was in use stays known, so that people hear of a change.
    fn take_anew(&mut self) {
        self.learned.way_refused = None;
        self.learned.picture_refused = None;
        if self.learned.prompt_refused.take().is_some() {
            self.learned.window = None;
        }
        (self.shapeless, self.takes_temperature, self.is_blind) = (0, true, false);
    }
}
