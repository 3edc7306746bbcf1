//! What a small model is helped with. Each help can be switched off alone, so that `cargo xtask eval` tells what it pays.

/// The helps of a small model. A larger one needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assist {
    /// It may only choose what the words of the message tell, as often as they tell it.
    pub narrow: bool,
    /// It decides first whether it acts, and talks in a request of its own.
    pub talk: bool,
    /// It is asked first what a message in another language says in English.
    pub gloss: bool,
    /// It is shown how others asked for the like.
    pub examples: bool,
    /// It asks for one action at a time, and the turn thinks again. It counts where `narrow` does not.
    pub one_action: bool,
}

/// What was measured on a model of half a billion parameters.
impl Default for Assist {
    fn default() -> Self {
        Self { narrow: true, talk: true, gloss: true, examples: true, one_action: false }
    }
}
