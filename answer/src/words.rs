//! The words of an answer while it is still being written.

use super::name::Cards;
use super::splitter::Splitter;

/// The ends of reasoning whose beginnings some models' templates write for them.
const ENDS: [&str; 5] = ["</think>", "</thinking>", "</reasoning>", "</thought>", "[/THINK]"];

/// The longest of them, in bytes.
const END: usize = 12;

/// Lets through, of a model's text in chunks, what people may see: never a part of a block of calls, of
/// the code fence around it or of reasoning, wherever the chunks are cut. Of an answer that is one object it lets
/// the message through, decoded.
///
/// Reasoning whose beginning stands in the model's template looks like words until it ends. All that is let through from the
/// last time on that [`Words::begins_anew`], one after the other, is exactly [`Answer::words`](super::Answer::words).
#[derive(Debug, Default)]
pub struct Words<'c> {
    splitter: Splitter<'c>,
    /// What may be such reasoning, as long as it has not ended.
    held: Option<String>,
    is_anew: bool,
}

impl<'c> Words<'c> {
    /// For a model that may ask for the actions of these cards: the local ones, then the router's.
    #[must_use]
    pub fn new(cards: Cards<'c>) -> Self {
        Self { splitter: Splitter::new(cards), ..Self::default() }
    }

    /// For an answer that was asked for as words alone.
    #[must_use]
    pub fn alone() -> Self {
        Self { splitter: Splitter::alone(), ..Self::default() }
    }

    /// The same; `is_likely` says that such reasoning stands before the words of this model, and is held back.
    #[must_use]
    pub fn behind_thought(self, is_likely: bool) -> Self {
        Self { held: is_likely.then(String::new), ..self }
    }

    /// Takes the next chunk and gives what may be shown now.
    pub fn push(&mut self, chunk: &str) -> String {
        let Some(held) = &mut self.held else { return self.divide(chunk) };
        let new = held.floor_char_boundary(held.len().saturating_sub(END));
        // White space before the first word is not shown in any case.
        held.push_str(if held.is_empty() { chunk.trim_start() } else { chunk });
        let first = held.chars().next();
        // Who begins with a tag or an object says by it what comes.
        let is_over =
            matches!(first, Some('{' | '<')) || ENDS.iter().any(|end| held[new..].contains(end));
        if is_over { self.release() } else { String::new() }
    }

    /// Ends the text and gives what was held back only because more might have come.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let mut words = self.release();
        let (last, found) = std::mem::take(&mut self.splitter).finish();
        if found.is_anew {
            self.is_anew = true;
            words.clear();
        }
        words + &last
    }

    /// Whether all that was let through before the latest piece was reasoning, and that piece begins the words. Says so once.
    pub fn begins_anew(&mut self) -> bool {
        std::mem::take(&mut self.is_anew)
    }

    /// The words of a whole text.
    #[must_use]
    pub fn of(text: &str, cards: Cards<'c>) -> String {
        Self::new(cards).whole(text)
    }

    /// The words of a whole text.
    #[must_use]
    pub fn whole(self, text: &str) -> String {
        let mut words = self;
        let mut shown = words.push(text);
        words.begins_anew();
        let last = words.finish();
        if words.begins_anew() {
            shown.clear();
        }
        shown + &last
    }

    fn divide(&mut self, chunk: &str) -> String {
        let words = self.splitter.push(chunk);
        self.is_anew |= self.splitter.began_anew();
        words
    }

    fn release(&mut self) -> String {
        let held = self.held.take().unwrap_or_default();
        self.divide(&held)
    }
}
