//! Divides a model's text, as it comes, into words, blocks of calls and reasoning.
//!
//! Every decision depends on the text alone, never on how it is cut into chunks, and each byte is looked at a
//! bounded number of times. What may be a call without any tag is held back until its brackets are closed, and then
//! either a block or words.

use protocol::json::MAX_BYTES;
use serde_json::Value;

use super::MAX_ACTIONS;
use super::echo::TOLD;
use super::error::AnswerError;
use super::formats::json::envelope;
use super::formats::json::message::{DecodedMessage, DecodedPart};
use super::found::{Block, Found, Origin};
use super::held::{Held, Kind, Step};
use super::line::{Line, goes_on};
use super::mark::{FENCE, Form, Mark, Tag};
use super::marks::{Spot, is_cut_tag, mark, may_begin};
use super::name::Cards;
use super::place::{Behind, Place};
use super::scan::{begun, run};

#[derive(Debug, Default)]
pub(super) struct Splitter<'c> {
    cards: Cards<'c>,
    place: Place<Self>,
    /// The end of what was pushed, as long as it is not decided what it is.
    undecided: String,
    /// Nothing more will come.
    is_ended: bool,
    found: Found,
    /// A block was opened, so that what comes now is not shown.
    is_silent: bool,
    /// It is the message of an answer, in which nothing without a tag is a call.
    is_inner: bool,
    /// Reasoning without a beginning stands before it, so that what is no tag may be an example there.
    was_thought: bool,
    /// How many of the bytes that follow were looked at and are words.
    plain: usize,
    /// What stands in front of the message of an answer that is one object.
    head: String,
    /// A fence was opened with a block and has not been closed.
    owes_fence: bool,
    behind: Behind,
    shown: bool,
    /// White space that is shown once something follows it.
    space: String,
    line: Line,
}

impl<'c> Splitter<'c> {
    pub(super) fn new(cards: Cards<'c>) -> Self {
        Self { cards, ..Self::default() }
    }

    /// For words alone, in which nothing without a tag is a call.
    pub(super) fn alone() -> Self {
        Self { is_inner: true, ..Self::default() }
    }

    /// Takes more of the text and gives the words that are certain by now.
    pub(super) fn push(&mut self, more: &str) -> String {
        let mut text = std::mem::take(&mut self.undecided);
        text.push_str(more);
        let mut words = String::new();
        let at = self.divide(&text, &mut words);
        // A text that is only held is moved, not copied, so that many small pieces of it stay cheap.
        self.undecided = if at == 0 { text } else { text[at..].to_owned() };
        words
    }

    /// Whether words that were given before count no more, since this was asked last.
    pub(super) fn began_anew(&mut self) -> bool {
        std::mem::take(&mut self.found.is_anew)
    }

    /// Ends the text: gives the last words and what else there was.
    pub(super) fn finish(mut self) -> (String, Found) {
        self.is_ended = true;
        let text = std::mem::take(&mut self.undecided);
        let mut words = String::new();
        self.divide(&text, &mut words);
        if let Place::Message(_, inner) = std::mem::take(&mut self.place) {
            self.end_message(*inner, &mut words);
            self.fail(AnswerError::Unclosed);
        }
        (words, self.found)
    }

    fn divide(&mut self, text: &str, words: &mut String) -> usize {
        let mut at = 0;
        loop {
            let rest = &text[at..];
            let (taken, goes_on) = match self.place {
                Place::Words => self.words(rest, words),
                Place::Block(ends) => self.block(rest, ends),
                Place::Reasoning(end) => self.reasoning(rest, end),
                Place::Held(_) => self.held(rest, words),
                Place::Message(..) => self.message(rest, words),
                Place::Over => (rest.len(), false),
            };
            at += taken;
            if !goes_on {
                return at;
            }
        }
    }

    fn fail(&mut self, fault: AnswerError) {
        self.found.fault.get_or_insert(fault);
    }

    fn spot(&self) -> Spot {
        Spot {
            is_line_start: self.line.is_start(),
            is_first: !self.shown && !self.is_silent && !self.was_thought,
            is_plain: self.is_inner || self.plain > 0 || self.line.is_quoting(false),
            is_fenced: self.line.is_fenced() || self.owes_fence,
        }
    }

    fn words(&mut self, text: &str, words: &mut String) -> (usize, bool) {
        let Some(first) = text.chars().next() else { return (0, false) };
        let spot = self.spot();
        let mark =
            match if may_begin(first, spot) { mark(text, spot, self.cards) } else { Mark::None } {
                // What is only told of is told.
                Mark::Found(Tag::Foreign(_) | Tag::Reasoning(_) | Tag::ReasoningEnd, _)
                    if self.line.is_quoting(false) =>
                {
                    Mark::None
                }
                mark => mark,
            };
        let taken = match mark {
            Mark::Undecided if !self.is_ended => return (0, false),
            Mark::Undecided if is_cut_tag(text) || envelope::is_begun(text) => {
                self.fail(AnswerError::Unclosed);
                text.len()
            }
            Mark::None | Mark::Undecided => {
                let taken = run(text, first);
                self.show(&text[..taken], words);
                taken
            }
            Mark::Found(Tag::ReasoningEnd, length) => {
                self.end_thought(words);
                length
            }
            Mark::Found(tag, length) => self.enter(tag, &text[..length]),
        };
        self.plain = self.plain.saturating_sub(taken);
        (taken, true)
    }

    /// Goes where `tag` leads, and says how many bytes are done with.
    fn enter(&mut self, tag: Tag, mark: &str) -> usize {
        let kind = match tag {
            Tag::Block(form, ends) => {
                self.open(form, mark);
                self.place = Place::Block(ends);
                return mark.len();
            }
            Tag::BlockEnd => return self.wrong(AnswerError::Unopened, mark),
            Tag::Foreign(tag) => {
                self.place = Place::Over;
                return self.wrong(AnswerError::Foreign(tag), mark);
            }
            Tag::Reasoning(end) => {
                self.place = Place::Reasoning(end);
                return mark.len();
            }
            Tag::ReasoningEnd | Tag::Control => return mark.len(),
            Tag::Message => {
                self.head = mark[..mark.rfind("\"message\"").unwrap_or(0)].to_owned();
                let inner = Self { is_inner: true, ..Self::new(self.cards) };
                self.place = Place::Message(DecodedMessage::default(), Box::new(inner));
                return mark.len();
            }
            Tag::Fence(is_certain) => Kind::Fence { start: mark.len(), is_certain },
            Tag::Value => Kind::Value,
            Tag::Python => Kind::Python,
        };
        self.place = Place::Held(Held::new(kind));
        0
    }

    /// Reasoning ends that was not begun: what stood before it was no words, and any block in it was not meant.
    fn end_thought(&mut self, words: &mut String) {
        if self.is_inner {
            return;
        }
        if self.is_silent {
            self.fail(AnswerError::Quoted);
        }
        words.clear();
        let fault = self.found.fault.take();
        let found = Found { fault, is_anew: true, ..Found::default() };
        let Self { cards, is_ended, is_silent, .. } = *self;
        *self = Self { cards, is_ended, is_silent, found, was_thought: true, ..Self::default() };
    }

    fn wrong(&mut self, fault: AnswerError, mark: &str) -> usize {
        self.fail(fault);
        self.is_silent = true;
        mark.len()
    }

    /// Opens a block behind its tag; a fence in front of the tag is part of `mark`.
    fn open(&mut self, form: Form, mark: &str) {
        let has_fence = mark.starts_with(FENCE);
        if self.line.is_quoting(has_fence) || self.is_inner {
            self.fail(AnswerError::Quoted);
        }
        self.owes_fence = has_fence && !self.line.is_fenced();
        let is_doubtful = has_fence && !mark[FENCE.len()..].starts_with("tool");
        self.behind = match self.behind {
            Behind::Doubt => Behind::Doubt,
            _ if is_doubtful => Behind::Doubt,
            _ if self.line.is_start() => Behind::Nothing,
            _ => Behind::SameLine(self.line.is_mid_sentence()),
        };
        self.keep(Block { form, origin: Origin::Tag, text: String::new(), is_whole: false });
    }

    fn keep(&mut self, block: Block) {
        self.is_silent = true;
        if self.found.blocks.len() <= MAX_ACTIONS {
            self.found.blocks.push(block);
        }
    }

    fn block(&mut self, text: &str, ends: &'static [&'static str]) -> (usize, bool) {
        let ending = ends.iter().filter_map(|end| Some((text.find(end)?, end.len()))).min();
        let inside = match ending {
            Some((at, _)) => &text[..at],
            None if self.is_ended => text,
            None => &text[..begun(text, ends)],
        };
        if let Some(block) = self.found.blocks.last_mut() {
            if block.text.len() <= MAX_BYTES {
                block.text.push_str(inside);
            }
            block.is_whole |= ending.is_some();
        }
        let Some((at, length)) = ending else { return (inside.len(), false) };
        self.place = Place::Words;
        (at + length, true)
    }

    fn reasoning(&mut self, text: &str, end: &'static str) -> (usize, bool) {
        if let Some(at) = text.find(end) {
            self.place = Place::Words;
            return (at + end.len(), true);
        }
        (begun(text, &[end]), false)
    }

    fn held(&mut self, text: &str, words: &mut String) -> (usize, bool) {
        let is_ended = self.is_ended;
        let Place::Held(held) = &mut self.place else { return (0, false) };
        let length = match held.look(text, is_ended) {
            Step::More => return (0, false),
            Step::End(length) => length,
        };
        let (kind, is_closed) = (held.kind, held.is_closed);
        let inside = held.inside(&text[..length]);
        let judged = held.judge(inside, self.cards);
        self.place = Place::Words;
        let Some((form, message)) = judged else {
            self.plain = length;
            return (0, true);
        };
        let origin = match (kind, form) {
            (Kind::Tail, _) => Origin::WholeAnswer,
            (Kind::Value, Form::Envelope) if self.spot().is_first => Origin::WholeAnswer,
            _ => Origin::Bare,
        };
        self.take_held(kind, form, &message, words);
        let text = match kind {
            Kind::Tail => format!("{}{TOLD}{inside}", self.head),
            _ => inside.to_owned(),
        };
        // A value without a tag has its end in itself; only a fence says that it is there.
        let is_whole = is_closed && matches!(kind, Kind::Fence { .. });
        self.keep(Block { form, origin, text, is_whole });
        (length, true)
    }

    /// Notes what a held block is in the text, and shows the message of one that is a whole answer.
    fn take_held(&mut self, kind: Kind, form: Form, message: &Value, words: &mut String) {
        let is_doubtful =
            form != Form::Envelope && !matches!(kind, Kind::Fence { is_certain: true, .. });
        if is_doubtful
            && !self.line.is_start()
            && self.line.is_mid_sentence()
            && kind == Kind::Value
        {
            self.fail(AnswerError::Quoted);
        }
        if let Value::String(message) = message {
            let mut inner = Self { is_inner: true, ..Self::new(self.cards) };
            let mut said = inner.push(message);
            let (last, found) = inner.finish();
            said.push_str(&last);
            self.show(&said, words);
            self.found.fault = self.found.fault.take().or(found.fault);
        }
        if is_doubtful {
            self.behind = Behind::Doubt;
        }
    }

    fn message(&mut self, text: &str, words: &mut String) -> (usize, bool) {
        let Place::Message(message, inner) = &mut self.place else { return (0, false) };
        let mut said = String::new();
        for (at, c) in text.char_indices() {
            match message.take(c) {
                DecodedPart::Nothing => {}
                DecodedPart::Char(c) => said.push(c),
                DecodedPart::End => {
                    let is_broken = message.is_broken;
                    said = inner.push(&said);
                    let inner = std::mem::take(&mut **inner);
                    self.place = Place::Held(Held::new(Kind::Tail));
                    self.show(&said, words);
                    self.end_message(inner, words);
                    if is_broken {
                        self.fail(AnswerError::Unreadable(
                            "the message holds an escape that JSON has not".into(),
                        ));
                    }
                    return (at + 1, true);
                }
            }
        }
        said = inner.push(&said);
        self.show(&said, words);
        (text.len(), false)
    }

    fn end_message(&mut self, inner: Self, words: &mut String) {
        let (last, found) = inner.finish();
        self.show(&last, words);
        self.found.fault = self.found.fault.take().or(found.fault);
    }

    /// Shows a piece without the white space around the whole. What stands behind a block is not shown:
    /// it was said without knowing how the actions end.
    fn show(&mut self, piece: &str, words: &mut String) {
        if self.is_silent {
            return self.hush(piece);
        }
        self.line.note(piece);
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

    /// Looks at words behind a block for what they say about it.
    fn hush(&mut self, piece: &str) {
        let is_blank = piece.trim().is_empty();
        if self.owes_fence && !is_blank && piece.trim_matches('`').is_empty() {
            return;
        }
        self.owes_fence &= is_blank;
        for c in piece.chars() {
            match self.behind {
                Behind::Doubt if c.is_alphanumeric() => self.fail(AnswerError::Followed),
                Behind::SameLine(_) if c == '\n' => self.behind = Behind::Nothing,
                Behind::SameLine(is_mid) if !c.is_whitespace() => {
                    self.behind = Behind::Nothing;
                    if is_mid || goes_on(c) {
                        self.fail(AnswerError::Quoted);
                    }
                }
                _ => {}
            }
        }
        self.line.note(piece);
    }
}
