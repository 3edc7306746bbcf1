//! How large a window there is room for on the machine of a server that loads its model for the window that is asked for.

use llm::SizedBy;

use super::{Memo, State};
use crate::endpoint::measure;

impl Memo {
    /// Doubles the window that is asked for, if the model can hold that and there is room, as far as one knows.
    pub(in crate::endpoint) fn grow(&self, window: u64) -> bool {
        let mut state = self.lock();
        let limit = state.learned.window.unwrap_or_default();
        let limit = state.most.map_or(limit, |most| most.min(limit));
        let can = self.sized == SizedBy::Asker && window < limit;
        if can {
            state.grown = window.saturating_mul(2).min(limit);
        }
        can
    }

    /// The model answered with this window.
    pub(in crate::endpoint) fn held(&self, window: u64) {
        self.lock().held = window;
    }

    /// The server has read a prompt of so many tokens: its window is no smaller, whatever was assumed.
    pub(in crate::endpoint) fn has_read(&self, tokens: u64) {
        let mut state = self.lock();
        let assumed = state.learned.window.unwrap_or(self.assumed);
        if self.sized == SizedBy::Server && tokens > assumed {
            state.learned.window = Some(tokens);
            state.learned.prompt_refused = None;
        }
    }

    /// There was no memory for this window: goes back to the last one that was answered with, and does not grow beyond that
    /// until the server is asked anew what it is. Says whether that is a smaller one.
    pub(in crate::endpoint) fn shrink(&self, window: u64) -> bool {
        let mut state = self.lock();
        if self.sized != SizedBy::Asker || window <= measure::LOCAL {
            return false;
        }
        let back = if state.held < window { state.held } else { 0 };
        state.grown = back;
        state.most = Some(back.max(measure::LOCAL));
        true
    }
}

impl State {
    /// There may be more room by now.
    pub(super) fn room_again(&mut self) {
        self.most = None;
    }
}
