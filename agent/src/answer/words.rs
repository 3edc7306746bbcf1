//! The words of an answer while it is still being written.

use super::name::Cards;
use super::splitter::Splitter;

/// Lets through, of a model's text in chunks, what people may see: never a part of a block of calls, of
/// the code fence around it or of reasoning, wherever the chunks are cut. Of an answer that is one object it lets
/// the message through, decoded.
///
/// All that it lets through, one after the other, is exactly [`Answer::words`](super::Answer::words).
#[derive(Debug, Default)]
pub struct Words<'c>(Splitter<'c>);

impl<'c> Words<'c> {
    /// For a model that may ask for the actions of these cards: the local ones, then the router's.
    #[must_use]
    pub fn new(cards: Cards<'c>) -> Self {
        Self(Splitter::new(cards))
    }

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
    pub fn of(text: &str, cards: Cards<'c>) -> String {
        let mut words = Self::new(cards);
        let mut shown = words.push(text);
        shown.push_str(&words.finish());
        shown
    }
}
