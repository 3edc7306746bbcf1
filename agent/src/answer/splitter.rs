//! Divides a model's text, as it comes, into words, action blocks and reasoning.
//!
//! Whether a tag begins at some place depends on a bounded number of bytes behind that place and on
//! nothing else. That makes the division the same however the text is cut into chunks, and linear.

const BLOCK: &str = "<tool_code>";
const BLOCK_END: &str = "</tool_code>";
/// What models write around their reasoning.
const REASONING: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
];
const FENCE: &str = "```";

/// A fence's language and the white space behind it may each have this many bytes.
const FENCE_SLACK: usize = 16;

/// So much of a block's tag at the very end of a text is a tag that was cut, not a comparison.
const CUT_TAG: &str = "<tool";

/// What the divided text consisted of, besides its words.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// How many action blocks were opened.
    pub(super) count: usize,
    /// What stands in the first.
    pub(super) first: String,
    /// The text ended inside one.
    pub(super) unclosed: bool,
    /// One was closed that had not been opened.
    pub(super) unopened: bool,
    /// Words follow the first one.
    pub(super) followed: bool,
    /// One stands in a quotation, or in reasoning whose beginning is missing.
    pub(super) quoted: bool,
}

#[derive(Debug, Default)]
pub(super) struct Splitter {
    place: Place,
    /// The end of what was pushed, as long as it may be the beginning of a tag.
    undecided: String,
    blocks: Blocks,
    shown: bool,
    /// White space that is shown once something follows it.
    space: String,
    /// The line that the words are in by now.
    line: Line,
    /// How many code fences stand in the words.
    fences: usize,
    /// How many backticks in a row the words end with.
    run: usize,
}

/// What of a line says whether a block behind it is quoted.
#[derive(Debug, Default, Clone, Copy)]
struct Line {
    /// The first character that is no space.
    begins: Option<char>,
    last: Option<char>,
    quotes: usize,
    ticks: usize,
}

#[derive(Debug, Default, Clone, Copy)]
enum Place {
    #[default]
    Words,
    Block,
    /// Until this tag.
    Reasoning(&'static str),
}

/// What begins at a place in the words.
enum Mark {
    /// Nothing but text.
    None,
    /// The text is too short to say.
    Undecided,
    /// A tag of this many bytes, a fence in front of it included.
    Tag(Tag, usize),
}

#[derive(Clone, Copy)]
enum Tag {
    Block,
    BlockEnd,
    /// Until this tag.
    Reasoning(&'static str),
    ReasoningEnd,
}

impl Splitter {
    /// Takes more of the text and gives the words that are certain by now.
    pub(super) fn push(&mut self, more: &str) -> String {
        let mut text = std::mem::take(&mut self.undecided);
        text.push_str(more);
        let mut words = String::new();
        let mut rest = text.as_str();
        loop {
            let (taken, goes_on) = match self.place {
                Place::Words => self.words(rest, &mut words),
                Place::Block => self.block(rest),
                Place::Reasoning(end) => self.reasoning(rest, end),
            };
            rest = &rest[taken..];
            if !goes_on {
                break;
            }
        }
        rest.clone_into(&mut self.undecided);
        words
    }

    /// Ends the text: gives the last words and what else there was.
    pub(super) fn finish(mut self) -> (String, Blocks) {
        let rest = std::mem::take(&mut self.undecided);
        let mut words = String::new();
        match self.place {
            Place::Words if rest.contains(CUT_TAG) => {
                self.blocks.count += 1;
                self.blocks.unclosed = true;
            }
            Place::Words => self.show(&rest, &mut words),
            Place::Block => self.blocks.unclosed = true,
            Place::Reasoning(_) => {}
        }
        (words, self.blocks)
    }

    fn words(&mut self, text: &str, words: &mut String) -> (usize, bool) {
        let Some(at) = text.find(['<', '`']) else {
            self.show(text, words);
            return (text.len(), false);
        };
        self.show(&text[..at], words);
        match mark(&text[at..]) {
            Mark::None => {
                self.show(&text[at..=at], words);
                (at + 1, true)
            }
            Mark::Undecided => (at, false),
            Mark::Tag(tag, length) => {
                self.enter(tag, text[at..].starts_with(FENCE));
                (at + length, true)
            }
        }
    }

    fn enter(&mut self, tag: Tag, is_fenced: bool) {
        match tag {
            Tag::Block => {
                self.blocks.count += 1;
                self.blocks.quoted |= self.is_quoting(is_fenced);
                self.place = Place::Block;
            }
            Tag::BlockEnd => self.blocks.unopened = true,
            Tag::Reasoning(end) => self.place = Place::Reasoning(end),
            // What stood before it was reasoning, and so was any block in it.
            Tag::ReasoningEnd => self.blocks.quoted |= self.blocks.count > 0,
        }
    }

    /// Whether what comes now stands in a quotation: in a line of one, between backticks or quotation marks, or
    /// in a code fence that holds more than it. A fence right before it is its own, or ends another one.
    fn is_quoting(&self, is_fenced: bool) -> bool {
        let Line { begins, last, quotes, ticks } = self.line;
        let opens = match last {
            Some('"') => quotes % 2 == 1,
            Some('`') => ticks % 2 == 1,
            Some(last) => matches!(last, '“' | '„' | '«'),
            None => false,
        };
        (self.fences % 2 == 1 && !is_fenced) || opens || begins == Some('>')
    }

    /// Keeps in mind of the words what says whether the next block is quoted.
    fn note(&mut self, piece: &str) {
        for c in piece.chars() {
            self.run = if c == '`' { self.run + 1 } else { 0 };
            self.fences += usize::from(self.run == FENCE.len());
            if c == '\n' {
                self.line = Line::default();
                continue;
            }
            if !c.is_whitespace() {
                self.line.begins.get_or_insert(c);
            }
            self.line.quotes += usize::from(c == '"');
            self.line.ticks += usize::from(c == '`');
            self.line.last = Some(c);
        }
    }

    fn block(&mut self, text: &str) -> (usize, bool) {
        let (inside, taken, found) = up_to(text, BLOCK_END);
        if self.blocks.count == 1 {
            self.blocks.first.push_str(inside);
        }
        if found {
            self.place = Place::Words;
        }
        (taken, found)
    }

    fn reasoning(&mut self, text: &str, end: &str) -> (usize, bool) {
        let (_, taken, found) = up_to(text, end);
        if found {
            self.place = Place::Words;
        }
        (taken, found)
    }

    /// Shows a piece without the white space around the whole. What stands behind a block is not shown:
    /// it was said without knowing how the actions end.
    fn show(&mut self, piece: &str, words: &mut String) {
        if self.blocks.count > 0 {
            // The end of a fence around the block says nothing.
            self.blocks.followed |= piece.chars().any(|c| !c.is_whitespace() && c != '`');
            return;
        }
        self.note(piece);
        let piece = if self.shown { piece } else { piece.trim_start() };
        let solid = piece.trim_end();
        if !solid.is_empty() {
            words.push_str(&self.space);
            words.push_str(solid);
            self.space.clear();
            self.shown = true;
        }
        self.space.push_str(&piece[solid.len()..]);
    }
}

/// What of `text` stands before `tag`, how many bytes are done with, and whether the tag was found.
fn up_to<'t>(text: &'t str, tag: &str) -> (&'t str, usize, bool) {
    if let Some(at) = text.find(tag) {
        return (&text[..at], at + tag.len(), true);
    }
    let begun = text.rfind('<').filter(|&at| tag.starts_with(&text[at..]));
    let inside = &text[..begun.unwrap_or(text.len())];
    (inside, inside.len(), false)
}

/// What begins where `text` begins, which is with `<` or a backtick.
fn mark(text: &str) -> Mark {
    if text.starts_with('<') {
        let blocks = [(BLOCK, Tag::Block), (BLOCK_END, Tag::BlockEnd)];
        let reasoning = REASONING
            .into_iter()
            .flat_map(|(begin, end)| [(begin, Tag::Reasoning(end)), (end, Tag::ReasoningEnd)]);
        return blocks
            .into_iter()
            .chain(reasoning)
            .map(|(tag, which)| tag_mark(text, tag, which, 0))
            .find(|mark| !matches!(mark, Mark::None))
            .unwrap_or(Mark::None);
    }
    fenced_mark(text)
}

fn tag_mark(text: &str, tag: &str, which: Tag, before: usize) -> Mark {
    if text.starts_with(tag) {
        Mark::Tag(which, before + tag.len())
    } else if tag.starts_with(text) {
        Mark::Undecided
    } else {
        Mark::None
    }
}

/// A code fence counts only when a block follows it: its marks, its language, white space, the tag.
fn fenced_mark(text: &str) -> Mark {
    let Some(behind) = text.strip_prefix(FENCE) else {
        return if FENCE.starts_with(text) { Mark::Undecided } else { Mark::None };
    };
    let language = span(behind, |b| b.is_ascii_alphanumeric() || b == b'_');
    let space = span(&behind[language..], |b| b.is_ascii_whitespace());
    if language > FENCE_SLACK || space > FENCE_SLACK {
        return Mark::None;
    }
    let before = FENCE.len() + language + space;
    tag_mark(&text[before..], BLOCK, Tag::Block, before)
}

/// How many bytes at the beginning of `text` are of this kind; it does not look further than it matters.
fn span(text: &str, kind: fn(u8) -> bool) -> usize {
    text.bytes().take(FENCE_SLACK + 1).take_while(|&byte| kind(byte)).count()
}
