//! What kind of line one is, by what has come of it: code between two fences (CommonMark 0.31, 4.5), code that is set in,
//! a row of a table, or words; also within lists and quotes.

/// How far something may be set in without being code.
const MOST_INDENT: usize = 3;

/// How many characters a fence has at least.
const LEAST_MARKS: usize = 3;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProseLine {
    /// Nothing has come of it but space and the marks of lists and quotes.
    Begins,
    /// Words, which may be wrapped.
    Words,
    /// Code, or a row of a table, which is shown as it is.
    AsItIs,
    /// The same, and its first word fences code.
    Fence,
}

/// A fence that code stands behind.
#[derive(Debug, Clone, Copy)]
struct Fence {
    character: char,
    count: usize,
    /// The last column in which the one that closes it may begin.
    limit: usize,
    is_quoted: bool,
}

/// The blocks of a text, line by line.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    open: Option<Fence>,
    /// The fence that the line is, if nothing else comes of it.
    candidate: Option<Fence>,
    /// In which column the text of the latest item of a list begins.
    item: usize,
    /// Whether the line has a mark of a list or a quote, and nothing else by now.
    is_behind_mark: bool,
    is_quoted: bool,
}

impl Blocks {
    /// Whether lines of code are being shown, between two fences.
    pub(crate) fn is_in_fence(&self) -> bool {
        self.open.is_some()
    }

    /// What a line is whose first word is this one, which stands behind `gap` in the column `column`.
    pub(crate) fn first(&mut self, gap: &str, word: &str, column: usize) -> ProseLine {
        self.open =
            self.open.filter(|fence| !fence.is_quoted || self.is_quoted || word.starts_with('>'));
        let is_mark = match self.open {
            None => is_mark(word),
            Some(fence) => fence.is_quoted && !self.is_quoted && word == ">",
        };
        if is_mark {
            self.is_behind_mark = true;
            self.is_quoted |= word.starts_with('>');
            return ProseLine::Begins;
        }
        if let Some(open) = self.open {
            let count = word.chars().take_while(|c| *c == open.character).count();
            let closes = count == word.len() && count >= open.count && column <= open.limit;
            self.candidate = closes.then_some(open);
            return if closes { ProseLine::Fence } else { ProseLine::AsItIs };
        }
        let is_deep = match self.is_behind_mark {
            true => gap.len() > MOST_INDENT + 1,
            false => gap.len() > MOST_INDENT || gap.contains('\t'),
        };
        self.item = if self.is_behind_mark { column } else { self.item.min(column) };
        self.candidate = self.opened(word, column).filter(|_| !(is_deep && self.is_behind_mark));
        match self.candidate {
            Some(_) => ProseLine::Fence,
            None if is_deep || word.starts_with('|') => ProseLine::AsItIs,
            None => ProseLine::Words,
        }
    }

    /// The fence that `word` begins.
    fn opened(&self, word: &str, column: usize) -> Option<Fence> {
        let character = word.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let count = word.chars().take_while(|c| *c == character).count();
        let limit = self.item + MOST_INDENT;
        let is_code = character == '`' && word[count..].contains('`');
        (count >= LEAST_MARKS && column <= limit && !is_code).then_some(Fence {
            character,
            count,
            limit,
            is_quoted: self.is_quoted,
        })
    }

    /// The line goes on with this word.
    pub(crate) fn further(&mut self, word: &str) {
        let closes = self.open.is_some();
        self.candidate = self
            .candidate
            .filter(|fence| !(closes || fence.character == '`' && word.contains('`')));
    }

    pub(crate) fn end_line(&mut self) {
        if let Some(fence) = self.candidate.take() {
            self.open = if self.open.is_some() { None } else { Some(fence) };
        }
        (self.is_behind_mark, self.is_quoted) = (false, false);
    }
}

/// Whether `word` is the mark of a quote, or of an item of a list.
fn is_mark(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number = !number.is_empty() && number.len() <= 9;
    matches!(word, "-" | "*" | "+" | ">" | ">>")
        || is_number && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the first word of a line may become a mark or a fence with what follows.
pub(crate) fn may_be_mark(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit() || ".)-+>~".contains(c))
}
