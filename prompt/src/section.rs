//! A section: bounded words under one placeholder, with what a model's reading of them brings into the conversation.
//!
//! A section is plain until it is written for a model: models differ in how they are asked and in how much they hold.

use std::borrow::Cow;
use std::fmt;

use answer::sanitize::{cut, fit};
use async_trait::async_trait;
use protocol::Taint;

use super::{Fit, Step};

/// Makes one section. To add one, write a file with a source in it, and name the source in
/// [`Sources::built_in`](super::Sources::built_in), or at the agent's start if it needs something to hold.
#[async_trait]
pub trait Source: Send + Sync {
    /// The placeholder of PROMPT.md that it fills, in capitals. Where the owner's PROMPT.md does not name one that is
    /// not of the template's own, the section stands before the message.
    fn name(&self) -> &'static str;

    /// What it has to say in this step; `None` if it is off or has nothing, which changes no byte of the prompt.
    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>>;
}

/// The rank of a section that never makes room.
pub const FIXED: u8 = u8::MAX;

/// How large a section may be that does not say, in bytes.
const ROOM: usize = 4_000;

/// Writes a section for one model.
type Write<'a> = Box<dyn Fn(&Manner<'_>) -> Vec<Part> + Send + Sync + 'a>;

/// One bounded part of a prompt, before it is written for a model.
pub struct Section<'a> {
    write: Write<'a>,
    /// What enters the conversation with it.
    pub(super) taint: Taint,
    /// Where that comes from, for people: `memory.json`.
    pub(super) origin: Cow<'static, str>,
    /// Whether it is the same from turn to turn.
    pub(super) stable: bool,
    /// Who makes room first in a small window, and stands furthest from the message: the lowest.
    pub(super) rank: u8,
    /// How large it may be, in bytes.
    pub(super) most: usize,
    /// What it keeps when it makes room, in bytes.
    pub(super) least: usize,
    /// What is missing when it has made room, in words.
    pub(super) what: &'static str,
}

/// How a section is written.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'m> {
    /// The model that reads it.
    pub fit: Fit<'m>,
    /// Whether the template has a place for how to answer.
    pub has_place: bool,
    /// How large the section may be, in bytes.
    pub room: usize,
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name of the marks around it that it can't write itself; empty for none.
    pub tag: &'static str,
    /// What stands there.
    pub text: String,
}

impl Part {
    /// The program's own words, without marks around them.
    #[must_use]
    pub fn own(text: impl Into<String>) -> Self {
        Self { tag: "", text: text.into() }
    }

    /// Information between marks, as it stands: whoever makes it has broken what a model would take for a call.
    #[must_use]
    pub fn marked(tag: &'static str, text: impl Into<String>) -> Self {
        Self { tag, text: text.into() }
    }
}

impl<'a> Section<'a> {
    /// A section that `write` makes for a model. It is clean, changes from turn to turn and never makes room.
    #[must_use]
    pub fn written(write: impl Fn(&Manner<'_>) -> Vec<Part> + Send + Sync + 'a) -> Self {
        Self {
            write: Box::new(write),
            taint: Taint::CLEAN,
            origin: Cow::Borrowed(""),
            stable: false,
            rank: FIXED,
            most: ROOM,
            least: 0,
            what: "",
        }
    }

    /// The owner's own words, which are shown as they are.
    #[must_use]
    pub fn owners(text: &'a str) -> Self {
        Self::written(move |manner| vec![Part::own(cut(text.trim(), manner.room))])
    }

    /// Information between the marks `<tag-...>`. It can't close them, and what a model would take for a call in it is broken.
    #[must_use]
    pub fn information(tag: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        Self::written(move |manner| vec![Part::marked(tag, fit(text.trim(), manner.room))])
    }

    /// The same, which brings `taint` into the conversation because of `origin`.
    #[must_use]
    pub fn tainted(self, taint: Taint, origin: impl Into<Cow<'static, str>>) -> Self {
        Self { taint, origin: origin.into(), ..self }
    }

    /// The same, which stays from turn to turn.
    #[must_use]
    pub fn stable(self) -> Self {
        Self { stable: true, ..self }
    }

    /// The same, with at most so many bytes.
    #[must_use]
    pub fn at_most(self, bytes: usize) -> Self {
        Self { most: bytes, ..self }
    }

    /// The same, which in a small window makes room down to `least` bytes, before those of a higher rank do. `what` says what
    /// is left out then: `older history`.
    #[must_use]
    pub fn making_room(self, rank: u8, least: usize, what: &'static str) -> Self {
        Self { rank, least, what, ..self }
    }

    /// Its pieces for one model.
    pub(super) fn parts(&self, manner: &Manner<'_>) -> Vec<Part> {
        (self.write)(manner)
    }
}

impl fmt::Debug for Section<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Section").field("taint", &self.taint).finish_non_exhaustive()
    }
}
