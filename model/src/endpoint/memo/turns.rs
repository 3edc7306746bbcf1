//! How a server is turned from one way of asking to another, and that people hear of it once.

use document::Notice;

use super::{Memo, State};
use crate::Way;

/// After how many answers in a row without the form that was asked for nobody asks for it any more.
const SHAPELESS: u8 = 2;

impl Memo {
    /// An answer came in `way`, after `refused` has befallen the one before if that is not nothing. Gives what people
    /// should hear.
    pub(in crate::endpoint) fn worked(&self, way: Way, refused: Option<&str>) -> Option<Notice> {
        let mut state = self.lock();
        state.shapeless = 0;
        match refused {
            _ if way == self.first => self.rise(&mut state),
            Some(words) => self.fall(&mut state, way, words),
            // It is asked as it has been for a while.
            None => None,
        }
    }

    /// An answer had not the form that was asked for. Gives what people should hear.
    pub(in crate::endpoint) fn ignored(&self) -> Option<Notice> {
        let mut state = self.lock();
        state.shapeless = state.shapeless.saturating_add(1);
        if state.shapeless < SHAPELESS {
            return None;
        }
        let words = format!("{SHAPELESS} answers in a row had another form than it was asked for");
        self.fall(&mut state, Way::ToolCode, &words)
    }

    fn fall(&self, state: &mut State, way: Way, words: &str) -> Option<Notice> {
        let before = state.learned.way.replace(way);
        state.learned.way_refused = Some(self.refused(words));
        state.shapeless = 0;
        let (model, address) = (&self.model, &self.address);
        tracing::info!(model, address, words, %way, "the model is asked in another way");
        // Another day in the same way is nothing new.
        (before != Some(way)).then(|| {
            Notice::new(format!(
                "{model} at {address} is asked in another way for a day: {words}; /model shows in which"
            ))
        })
    }

    fn rise(&self, state: &mut State) -> Option<Notice> {
        let before = state.learned.way.take();
        state.learned.way_refused = None;
        let (model, address) = (&self.model, &self.address);
        before.map(|_| Notice::new(format!("{model} at {address} is asked in the usual way again")))
    }
}
