//! What of the words before a place says whether what stands there is quoted.

use super::mark::FENCE;

/// What ends a sentence, in the languages that end theirs with a mark.
const SENTENCE_ENDS: [char; 9] = ['.', '!', '?', ':', '…', '。', '！', '？', '：'];

/// The line that the words are in by now, and the code fences before it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Line {
    /// The first character that is no space.
    begins: Option<char>,
    /// The last character.
    last: Option<char>,
    /// The last character that is no space.
    solid: Option<char>,
    quotes: usize,
    ticks: usize,
    /// How many code fences stand before.
    fences: usize,
    /// How many backticks in a row it ends with.
    run: usize,
}

impl Line {
    /// Takes words in.
    pub(super) fn note(&mut self, piece: &str) {
        for c in piece.chars() {
            self.run = if c == '`' { self.run + 1 } else { 0 };
            self.fences += usize::from(self.run == FENCE.len());
            if c == '\n' {
                *self = Self { fences: self.fences, ..Self::default() };
                continue;
            }
            if !c.is_whitespace() {
                self.begins.get_or_insert(c);
                self.solid = Some(c);
            }
            self.quotes += usize::from(c == '"');
            self.ticks += usize::from(c == '`');
            self.last = Some(c);
        }
    }

    /// Whether nothing but white space stands before this place.
    pub(super) fn is_start(&self) -> bool {
        self.begins.is_none()
    }

    /// Whether a code fence is open.
    pub(super) fn is_fenced(&self) -> bool {
        self.fences % 2 == 1
    }

    /// Whether a sentence has begun and not ended.
    pub(super) fn is_mid_sentence(&self) -> bool {
        self.solid.is_some_and(|c| !SENTENCE_ENDS.contains(&c))
    }

    /// Whether what comes now stands in a quotation: in a line of one, between backticks or quotation marks, or
    /// in a code fence that holds more than it. A fence right before it is its own, or ends another one.
    pub(super) fn is_quoting(&self, has_own_fence: bool) -> bool {
        let opens = match self.last {
            Some('"') => self.quotes % 2 == 1,
            Some('`') => self.ticks % 2 == 1,
            Some(last) => matches!(last, '“' | '„' | '«'),
            None => false,
        };
        (self.is_fenced() && !has_own_fence) || opens || self.begins == Some('>')
    }
}

/// Whether what stands right behind a block goes on with the sentence before it.
pub(super) fn goes_on(c: char) -> bool {
    c.is_lowercase() || matches!(c, ',' | ';' | ')' | '"' | '”' | '\'' | '’' | '»' | '`')
}
