//! What a model is asked.

use protocol::ActionCard;

use super::{Hearer, Picture, Way};
use crate::observation::Observation;
use crate::prompt::{Gloss, Rendered};
use crate::workspace::Memory;

/// Something to complete.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    prompt: Source<'a>,
    /// What the prompt is made of, if it is about a user's message.
    pub turn: Option<TurnParts<'a>>,
    /// What a model that can see is shown with the prompt.
    pub picture: Option<&'a Picture>,
    /// Who waits for the answer, and hears what becomes of it. Where nobody does, nothing is shown before it is whole.
    pub hearer: Option<&'a Hearer>,
}

/// Where the prompt comes from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Text(&'a str),
    Written(&'a (dyn Fn(Fit<'_>) -> Rendered + Sync)),
}

/// What a prompt has to fit: models differ in how they are asked and in how much they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit<'a> {
    /// How actions are asked for.
    pub way: Way,
    /// How long the prompt may be, in bytes.
    pub bytes: usize,
    /// What is done about the message's language.
    pub gloss: Gloss<'a>,
    /// Whether the model is small, and is shown how others asked for the like.
    pub is_small: bool,
}

impl Fit<'_> {
    /// For this way of asking and so many bytes, for a model that needs no help.
    #[must_use]
    pub fn of(way: Way, bytes: usize) -> Self {
        Self { way, bytes, gloss: Gloss::None, is_small: false }
    }
}

/// What a prompt is made of, for a model that can't read, and for servers that take actions apart from it.
#[derive(Debug, Clone, Copy)]
pub struct TurnParts<'a> {
    /// What the user said.
    pub message: &'a str,
    /// The actions that may be asked for: the local ones, then the router's.
    pub cards: [&'a [ActionCard]; 2],
    /// What this turn's actions have brought by now.
    pub so_far: &'a [Observation],
    /// What the agent knows.
    pub memory: &'a Memory,
    /// The addresses that the person typed in this conversation.
    pub typed: &'a [String],
}

impl<'a> Ask<'a> {
    /// A prompt that is not about a user's message and allows no action.
    #[must_use]
    pub fn plain(prompt: &'a str) -> Self {
        Self { prompt: Source::Text(prompt), turn: None, picture: None, hearer: None }
    }

    /// A user's message, whose prompt `write` makes for the model that is asked; perhaps for several in turn.
    #[must_use]
    pub fn turn(write: &'a (dyn Fn(Fit<'_>) -> Rendered + Sync), turn: TurnParts<'a>) -> Self {
        Self { prompt: Source::Written(write), turn: Some(turn), picture: None, hearer: None }
    }

    /// The same with a picture, or without one.
    #[must_use]
    pub fn with_picture(self, picture: Option<&'a Picture>) -> Self {
        Self { picture, ..self }
    }

    /// The same, for whose answer these people wait.
    #[must_use]
    pub fn heard_by(self, hearer: &'a Hearer) -> Self {
        Self { hearer: Some(hearer), ..self }
    }

    /// Whether words of the answer were shown, so that nobody may begin it anew.
    #[must_use]
    pub(super) fn was_shown(&self) -> bool {
        self.hearer.is_some_and(Hearer::has_seen)
    }

    /// The prompt for a model of that kind. A plain one is what it is, whatever it has to fit.
    #[must_use]
    pub fn prompt(&self, fit: Fit<'_>) -> Rendered {
        match self.prompt {
            Source::Text(text) => Rendered { text: text.to_owned(), ..Rendered::default() },
            Source::Written(write) => write(fit),
        }
    }
}
