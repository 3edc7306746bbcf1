//! The words of an answer while it is still being written.

use super::splitter::Splitter;

/// Lets through, of a model's text in chunks, what people may see: never a part of an action block, of
/// the code fence around it or of reasoning, wherever the chunks are cut.
///
/// All that it lets through, one after the other, is exactly [`Answer::words`](super::Answer::words).
#[derive(Debug, Default)]
pub struct Words(Splitter);

impl Words {
    /// Takes the next chunk and gives what may be shown now.
    pub fn push(&mut self, chunk: &str) -> String {
        self.0.push(chunk)
    }

    /// Ends the text and gives what was held back only because more might have come.
    #[must_use]
    pub fn finish(self) -> String {
        self.0.finish().0
    }

    /// The words of a whole text.
    #[must_use]
    pub fn of(text: &str) -> String {
        let mut words = Self::default();
        let mut shown = words.push(text);
        shown.push_str(&words.finish());
        shown
    }
}
