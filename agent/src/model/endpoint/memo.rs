//! What an endpoint has learned of its server, in this process and before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::measure;
use crate::model::Way;
use crate::model::provider::{Place, SizedBy};
use crate::workspace::{Endpoints, Learned};

/// After how many answers in a row without the form that was asked for nobody asks for it any more.
const SHAPELESS: u8 = 2;

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
    /// The server was asked for the window in this process.
    asked: bool,
    /// The window that is asked for since a message needed it, in tokens. It never shrinks: the server would
    /// load the model anew each time.
    grown: u64,
    /// How many answers in a row had not the form that was asked for.
    shapeless: u8,
    takes_temperature: bool,
    /// Whether it can see, as the server says.
    sees: Option<bool>,
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
    pub(super) fn new(known: Arc<Endpoints>, place: &Place, model: &str) -> Self {
        let learned = known.recall(&place.address, model);
        let state = State {
            learned,
            asked: false,
            grown: 0,
            shapeless: 0,
            takes_temperature: true,
            sees: None,
            is_blind: false,
        };
        Self {
            known,
            address: place.address.clone(),
            model: model.to_owned(),
            first: place.way,
            sized: place.sized,
            assumed: if place.is_local() { measure::LOCAL } else { measure::CLOUD },
            sees: place.sees,
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
        self.lock().learned.way.unwrap_or(self.first)
    }

    /// Whether the server must still be asked for its window.
    pub(super) fn wants_window(&self) -> bool {
        !self.lock().asked
    }

    /// The server was asked, and said this.
    pub(super) fn asked(&self, window: Option<u64>, sees: Option<bool>) {
        let mut state = self.lock();
        state.asked = true;
        state.sees = sees;
        state.learned.window = window.filter(|&window| window >= SMALLEST).or(state.learned.window);
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

    /// Doubles the window that is asked for, if the model can hold that.
    pub(super) fn grow(&self, window: u64) -> bool {
        let mut state = self.lock();
        let limit = state.learned.window.unwrap_or_default();
        let can = self.sized == SizedBy::Asker && window < limit;
        if can {
            state.grown = window.saturating_mul(2).min(limit);
        }
        can
    }

    /// A prompt was too long, though it should have fit if `fits`; the server spoke of a window of `said`
    /// tokens.
    pub(super) fn overran(&self, size: Size, fits: bool, said: Option<u64>) {
        let mut state = self.lock();
        match (self.sized, said) {
            (SizedBy::Server, Some(said)) if said < size.window => {
                state.learned.window = Some(said.max(SMALLEST));
            }
            _ if !fits => return,
            (SizedBy::Server, None) => {
                state.learned.window = Some((size.window / 2).max(SMALLEST));
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

    /// The way in which an answer came.
    pub(super) fn worked(&self, way: Way) {
        self.lock().learned.way = Some(way).filter(|way| *way != self.first);
    }

    /// Whether an answer had the form that was asked for.
    pub(super) fn had_form(&self, had: bool) {
        let mut state = self.lock();
        state.shapeless = if had { 0 } else { state.shapeless.saturating_add(1) };
        if state.shapeless >= SHAPELESS {
            tracing::info!(address = self.address, "the server ignores the schema of answers");
            state.learned.way = Some(Way::ToolCode);
        }
    }

    /// Whether it lets itself be told a temperature.
    pub(super) fn takes_temperature(&self) -> bool {
        self.lock().takes_temperature
    }

    /// It does not.
    pub(super) fn refused_temperature(&self) {
        self.lock().takes_temperature = false;
    }

    /// Whether it is shown pictures: by the owner's word, by what was learned, by what the server says, or as its like do.
    /// What the server has refused in this process is not tried again.
    pub(super) fn sees(&self) -> bool {
        let state = self.lock();
        let known = self.vision.or(state.learned.sees).or(state.sees);
        !state.is_blind && known.unwrap_or(self.sees)
    }

    /// It takes no pictures.
    pub(super) fn refused_picture(&self) {
        let mut state = self.lock();
        state.is_blind = true;
        state.learned.sees = Some(false);
    }

    /// Keeps what was learned for the next start.
    pub(super) fn keep(&self) {
        let learned = self.lock().learned;
        self.known.remember(&self.address, &self.model, learned);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
