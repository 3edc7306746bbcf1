//! The limits that one model sets for a prompt.

use llm::Way;

use super::Gloss;

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
    /// Whether words alone are wanted: nothing is said of actions.
    pub talk: bool,
}

impl Fit<'_> {
    /// For this way of asking and so many bytes, for a model that needs no help.
    #[must_use]
    pub fn of(way: Way, bytes: usize) -> Self {
        Self { way, bytes, gloss: Gloss::None, is_small: false, talk: false }
    }
}
