//! Finds where a value or a call that is still being written may end, looking at each character once.
//!
//! It only says how long to wait before the text is looked at; it decides nothing else.

/// How far a value or a call has come.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Scan {
    depth: usize,
    /// The mark that ends the text that is open.
    text: Option<char>,
    is_escaped: bool,
    /// A single quotation mark that ends its text if what follows it fits.
    is_ending: bool,
    /// The last character that is no space.
    last: Option<char>,
}

impl Scan {
    /// A scan that begins inside of an object.
    pub(super) fn within() -> Self {
        Self { depth: 1, ..Self::default() }
    }

    /// Whether a text is open.
    pub(super) fn is_in_text(&self) -> bool {
        self.text.is_some() && !self.is_ending
    }

    /// Takes the next character; whether all brackets are closed with it.
    pub(super) fn take(&mut self, c: char) -> bool {
        if self.is_ending && !c.is_whitespace() {
            self.is_ending = c == '\'';
            if matches!(c, ',' | ':' | '}' | ']' | ')') {
                self.text = None;
            }
        }
        match self.text {
            Some(end) => self.within_text(c, end),
            None => return self.outside(c),
        }
        false
    }

    fn within_text(&mut self, c: char, end: char) {
        if self.is_escaped {
            self.is_escaped = false;
        } else if c == '\\' {
            self.is_escaped = true;
        } else if c == end && end == '\'' {
            self.is_ending = true;
        } else if c == end {
            self.text = None;
            self.last = Some(c);
        }
    }

    fn outside(&mut self, c: char) -> bool {
        let may_open = matches!(self.last, None | Some('{' | '[' | '(' | ',' | ':' | '='));
        match c {
            '"' => self.text = Some('"'),
            '“' if may_open => self.text = Some('”'),
            '\'' if may_open => self.text = Some('\''),
            '{' | '[' | '(' => self.depth += 1,
            '}' | ']' | ')' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if !c.is_whitespace() {
            self.last = Some(c);
        }
        self.depth == 0 && matches!(c, '}' | ']' | ')')
    }
}

/// How many bytes of words may be taken at once where nothing begins: up to the next place where something may.
pub(super) fn run(text: &str, first: char) -> usize {
    let behind = first.len_utf8();
    if first.is_whitespace() || matches!(first, '<' | '`' | '[' | '{') {
        return behind;
    }
    text[behind..].find(['<', '`', '[', '{', '\n']).map_or(text.len(), |at| behind + at)
}

/// Where the beginning of one of `tags` at the end of `text` begins.
pub(super) fn begun(text: &str, tags: &[&str]) -> usize {
    let from = text.floor_char_boundary(text.len().saturating_sub(32));
    let may_be = |at: usize| tags.iter().any(|tag| tag.starts_with(&text[at..]));
    (from..text.len()).find(|&at| text.is_char_boundary(at) && may_be(at)).unwrap_or(text.len())
}
