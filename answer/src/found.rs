//! What a model's text consists of besides its words.

use super::error::AnswerError;
use super::mark::Form;

/// Calls as they stand in the text.
#[derive(Debug)]
pub(super) struct Block {
    /// What shape they have.
    pub(super) form: Form,
    /// What tells them from words.
    pub(super) origin: Origin,
    /// What stands there.
    pub(super) text: String,
    /// Its end is there, so that it was not cut off.
    pub(super) is_whole: bool,
}

/// What tells a block from words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Its tags.
    Tag,
    /// It is the object that is the whole answer.
    WholeAnswer,
    /// Nothing but its shape.
    Bare,
}

/// What the divided text consisted of, besides its words.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The blocks, at most one more than there may be actions.
    pub(super) blocks: Vec<Block>,
    /// The first thing that makes the answer unreadable as a whole.
    pub(super) fault: Option<AnswerError>,
    /// The words that were given before were reasoning, whose beginning stood in the model's template.
    pub(super) is_anew: bool,
}
