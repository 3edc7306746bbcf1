//! Whether a model is shown pictures.

use super::Memo;

impl Memo {
    /// Whether it is shown pictures: by the owner's word, by what was learned, by what the server says, or as its like do.
    /// What the server has refused in this process is not tried again while that holds.
    pub(in crate::endpoint) fn sees(&self) -> bool {
        let now = self.known.now();
        let state = self.lock();
        let is_refused = state.learned.picture_refused_at(now).is_some();
        let known = self.vision.or(is_refused.then_some(false)).or(state.sees);
        !(is_refused && state.is_blind) && known.unwrap_or(self.sees)
    }

    /// It takes no pictures; `words` say what it did instead.
    pub(in crate::endpoint) fn refused_picture(&self, words: &str) {
        let refused = self.refused(words);
        let mut state = self.lock();
        state.is_blind = true;
        state.learned.sees = Some(false);
        state.learned.picture_refused = Some(refused);
    }
}
