//! Whether a model thinks before it answers, and needs room for that.

use super::Memo;

impl Memo {
    /// Whether it thinks, as far as is known.
    pub(in crate::endpoint) fn thinks(&self) -> bool {
        self.lock().thinks
    }

    /// It was seen to think. Gives whether that is news.
    pub(in crate::endpoint) fn thought(&self) -> bool {
        !std::mem::replace(&mut self.lock().thinks, true)
    }
}
