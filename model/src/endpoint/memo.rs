//! What an endpoint has learned of its server, in this process and before.

mod report;
mod room;
mod sight;
mod span;
mod thoughts;
mod turns;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use llm::{Server, SizedBy};
use protocol::Millis;

use super::measure;
use crate::Way;
use crate::{Endpoints, Learned, Refused};

/// No window is smaller than this, in tokens, whatever a server says: nothing would fit.
const SMALLEST: u64 = 512;

/// What is known of one model of one server.
pub(super) struct Memo {
    known: Arc<Endpoints>,
    address: String,
    model: String,
    /// How it is asked first.
    first: Way,
    sized: SizedBy,
    /// The window that is assumed if nobody says.
    assumed: u64,
    /// Whether models see, if the server does not say.
    sees: bool,
    /// Whether the owner says that it sees.
    vision: Option<bool>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    learned: Learned,
    /// What was kept of it when that was looked at last.
    kept: Learned,
    /// When the server said what it is, if it has not gone away since.
    asked: Option<Millis>,
    /// The window that is asked for since a message needed it, in tokens. It shrinks only if there is no room for it: the
    /// server would load the model anew each time.
    grown: u64,
    /// The window of the latest answer, in tokens; 0 before the first.
    held: u64,
    /// The window beyond which there was no room, in tokens.
    most: Option<u64>,
    /// How many answers in a row had not the form that was asked for.
    shapeless: u8,
    takes_temperature: bool,
    /// Whether it can see, as the server says.
    sees: Option<bool>,
    /// Whether it thinks, as the server says or as was seen.
    thinks: bool,
    /// How many parameters it has, as the server says.
    parameters: Option<u64>,
    /// It has refused a picture in this process.
    is_blind: bool,
}

/// What a prompt has to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    /// The window, in tokens.
    pub(super) window: u64,
    /// How many bytes make a token.
    pub(super) bytes_per_token: f64,
}

impl Memo {
    pub(super) fn new(known: Arc<Endpoints>, server: &Server) -> Self {
        let learned = known.recall(server.address(), server.model());
        let state = State {
            kept: learned.clone(),
            learned,
            asked: None,
            grown: 0,
            held: 0,
            most: None,
            shapeless: 0,
            takes_temperature: true,
            sees: None,
            thinks: false,
            parameters: None,
            is_blind: false,
        };
        Self {
            known,
            address: server.address().to_owned(),
            model: server.model().to_owned(),
            first: server.way(),
            sized: server.sized(),
            assumed: if server.is_local() { measure::LOCAL } else { measure::CLOUD },
            sees: server.sees(),
            vision: None,
            state: Mutex::new(state),
        }
    }

    /// The same, where the owner says whether it sees.
    pub(super) fn with_vision(self, vision: Option<bool>) -> Self {
        Self { vision, ..self }
    }

    /// How actions are asked for.
    pub(super) fn way(&self) -> Way {
        let now = self.known.now();
        self.lock().learned.way_at(now).map_or(self.first, |(way, _)| way)
    }

    /// What a prompt has to fit, if the owner wishes for this window.
    pub(super) fn size(&self, wish: Option<u64>) -> Size {
        let state = self.lock();
        let limit = state.learned.window;
        let wish = wish.map(|wish| wish.max(SMALLEST));
        let window = match self.sized {
            SizedBy::Asker => {
                let asked = wish.unwrap_or(measure::LOCAL.max(state.grown));
                limit.map_or(asked, |limit| asked.min(limit))
            }
            SizedBy::Server => {
                let limit = limit.unwrap_or(self.assumed);
                wish.map_or(limit, |wish| wish.min(limit))
            }
        };
        let bytes_per_token = state.learned.bytes_per_token.unwrap_or(measure::BYTES_PER_TOKEN);
        Size { window, bytes_per_token }
    }

    /// Whether the window is asked for: a prompt that fills it has been cut then.
    pub(super) fn asks_for_window(&self) -> bool {
        self.sized == SizedBy::Asker
    }

    /// A prompt was too long, though it should have fit if `fits`; the server spoke of a window of `said`
    /// tokens.
    pub(super) fn overran(&self, size: Size, fits: bool, said: Option<u64>) {
        let mut state = self.lock();
        match (self.sized, said) {
            (SizedBy::Server, Some(said)) if said < size.window => {
                state.learned.window = Some(said.max(SMALLEST));
                state.learned.prompt_refused = Some(self.refused("a longer prompt did not fit"));
            }
            _ if !fits => return,
            (SizedBy::Server, None) => {
                state.learned.window = Some((size.window / 2).max(SMALLEST));
                state.learned.prompt_refused = Some(self.refused("a longer prompt did not fit"));
            }
            _ => state.learned.bytes_per_token = Some(measure::halved(size.bytes_per_token)),
        }
        drop(state);
        self.keep();
    }

    /// The server counted `tokens` in a prompt of so many bytes.
    pub(super) fn counted(&self, bytes: usize, tokens: u64) {
        let mut state = self.lock();
        let before = state.learned.bytes_per_token.unwrap_or(measure::BYTES_PER_TOKEN);
        let now = measure::learned(before, bytes, tokens);
        if now != before {
            state.learned.bytes_per_token = Some(now);
        }
    }

    /// Whether the model needs the help that small ones need.
    pub(super) fn is_small(&self) -> bool {
        llm::is_small(self.lock().parameters, &self.model)
    }

    /// Whether it lets itself be told a temperature.
    pub(super) fn takes_temperature(&self) -> bool {
        self.lock().takes_temperature
    }

    /// It does not.
    pub(super) fn refused_temperature(&self) {
        self.lock().takes_temperature = false;
    }

    fn refused(&self, words: &str) -> Refused {
        Refused { at: self.known.now(), words: words.to_owned() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
