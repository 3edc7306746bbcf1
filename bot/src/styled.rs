//! Text with formatting, cut into pieces that fit into messages.
//!
//! Lengths are counted as the Bot API counts them: in UTF-16 units.

use std::ops::Range;

use teloxide_core::types::{MessageEntity, MessageEntityKind};

/// The longest text of a message, in UTF-16 units, by the Bot API.
pub const LONGEST: usize = 4096;

/// How many marks of a message count, by the Bot API.
const MOST_MARKS: usize = 100;

/// Text with marks that don't overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styled {
    /// The text.
    pub text: String,
    /// How which bytes of it look.
    pub marks: Vec<(Range<usize>, Mark)>,
}

/// How a part of a text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// **Bold.**
    Bold,
    /// `Code` in a line.
    Code,
    /// Lines of code, or of something that is shown to the letter.
    Block,
}

impl Styled {
    /// Text without marks.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), marks: Vec::new() }
    }

    /// Adds text that looks like this.
    pub fn push(&mut self, text: &str, look: Option<Mark>) {
        let from = self.text.len();
        self.text.push_str(text);
        if let Some(look) = look.filter(|_| !text.is_empty()) {
            self.marks.push((from..self.text.len(), look));
        }
    }

    /// Adds other styled text.
    pub fn append(&mut self, other: Self) {
        let by = self.text.len();
        self.text.push_str(&other.text);
        let moved = other.marks.into_iter().map(|(at, look)| (at.start + by..at.end + by, look));
        self.marks.extend(moved);
    }

    /// Begins a new line, unless one has begun.
    pub fn new_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The marks as the Bot API wants them.
    pub fn entities(&self) -> Vec<MessageEntity> {
        let entity = |(at, look): &(Range<usize>, Mark)| {
            let kind = match look {
                Mark::Bold => MessageEntityKind::Bold,
                Mark::Code => MessageEntityKind::Code,
                Mark::Block => MessageEntityKind::Pre { language: None },
            };
            MessageEntity::new(kind, units(&self.text[..at.start]), units(&self.text[at.clone()]))
        };
        self.marks.iter().take(MOST_MARKS).map(entity).collect()
    }

    /// It in pieces of at most `limit` units, each without space around it. Text that is added later changes none but
    /// the last.
    pub fn pieces(&self, limit: usize) -> Vec<Self> {
        let mut pieces = Vec::new();
        let mut from = 0;
        while from < self.text.len() {
            let to = from + cut(&self.text[from..], limit);
            let piece = self.part(from..to);
            if !piece.text.is_empty() {
                pieces.push(piece);
            }
            from = to;
        }
        pieces
    }

    /// A part of it without the space around it, which Telegram would leave out as well.
    fn part(&self, at: Range<usize>) -> Self {
        let text = &self.text[at.clone()];
        let from = at.start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let to = from + text.len();
        let within = |(mark, look): &(Range<usize>, Mark)| {
            let (start, end) = (mark.start.max(from), mark.end.min(to));
            (start < end).then(|| (start - from..end - from, *look))
        };
        Self { text: text.to_owned(), marks: self.marks.iter().filter_map(within).collect() }
    }
}

/// How many UTF-16 units it has.
fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Where the first piece of `text` ends, in bytes: all of it if that fits, else behind a paragraph, a line, a word
/// or, if there is none of these, a character. A piece that would be less than half full is no good place to end.
fn cut(text: &str, limit: usize) -> usize {
    let mut room = limit;
    let end = text.char_indices().find_map(|(at, c)| {
        let Some(left) = room.checked_sub(c.len_utf16()) else { return Some(at) };
        room = left;
        None
    });
    let Some(end) = end else { return text.len() };
    let fits = &text[..end];
    let places = ["\n\n", "\n", " "];
    let ends = places.iter().filter_map(|place| Some(fits.rfind(place)? + place.len()));
    // At least one character, whatever the limit.
    let least = text.chars().next().map_or(1, char::len_utf8);
    ends.into_iter().find(|cut| *cut >= end / 2).unwrap_or(end).max(least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn units_are_those_of_utf_16() {
        let mut text = Styled::plain("😀 ");
        text.push("ä😀", Some(Mark::Bold));
        assert_eq!(text.entities(), [MessageEntity::bold(3, 3)]);
        let long = Styled::plain("😀".repeat(4096));
        let pieces = long.pieces(LONGEST);
        assert_eq!(pieces.len(), 2);
        assert!(pieces.iter().all(|piece| units(&piece.text) == 4096));
    }

    #[test]
    fn a_text_is_cut_at_paragraphs_then_lines_then_words() {
        let cut = |text: &str| {
            let pieces = Styled::plain(text).pieces(10);
            pieces.into_iter().map(|piece| piece.text).collect::<Vec<_>>()
        };
        assert_eq!(cut("one two\n\nthree"), ["one two", "three"]);
        assert_eq!(cut("one\ntwo\nthree"), ["one\ntwo", "three"]);
        assert_eq!(cut("one two three"), ["one two", "three"]);
        assert_eq!(cut("onetwothreefour"), ["onetwothre", "efour"]);
        assert_eq!(cut("a\n\nbcdefghijklmn"), ["a\n\nbcdefgh", "ijklmn"]);
        assert_eq!(cut(" \n "), [""; 0]);
    }

    #[test]
    fn a_mark_goes_on_in_the_next_piece() {
        let mut text = Styled::plain("see ");
        text.push("abcd efghij", Some(Mark::Block));
        let pieces = text.pieces(10);
        let marks: Vec<_> = pieces.iter().map(Styled::entities).collect();
        assert_eq!(pieces[0].text, "see abcd");
        assert_eq!(marks[0], [MessageEntity::pre(None, 4, 4)]);
        assert_eq!(marks[1], [MessageEntity::pre(None, 0, 6)]);
    }

    proptest! {
        #[test]
        fn no_piece_is_too_long_and_no_word_is_lost(text: String, limit in 2usize..40) {
            let pieces = Styled::plain(&*text).pieces(limit);
            prop_assert!(pieces.iter().all(|piece| units(&piece.text) <= limit));
            let without_space = |text: &str| text.split_whitespace().collect::<String>();
            let all: String = pieces.iter().map(|piece| without_space(&piece.text)).collect();
            prop_assert_eq!(all, without_space(&text));
        }

        #[test]
        fn more_text_changes_the_last_piece_alone(text: String, more: String, limit in 2usize..40) {
            let before = Styled::plain(&*text).pieces(limit);
            let after = Styled::plain(format!("{text}{more}")).pieces(limit);
            for (old, new) in before.iter().rev().skip(1).rev().zip(&after) {
                prop_assert_eq!(old, new);
            }
        }
    }
}
