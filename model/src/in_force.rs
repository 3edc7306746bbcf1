//! How a model is asked at the moment, and why so.

use std::time::Duration;

use super::Way;

/// What holds for one model, as settings, its server and its refusals have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// How it is asked for actions.
    pub way: Held<Way>,
    /// How it is asked first, and again when a refusal no longer holds.
    pub first: Way,
    /// The window, in tokens.
    pub window: Held<u64>,
    /// How large it can be, in tokens, if whoever asks says how large it is.
    pub largest: Option<u64>,
    /// Whether it is shown pictures.
    pub sees: Held<bool>,
}

/// Something that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held<T> {
    /// What.
    pub value: T,
    /// Why.
    pub why: Why,
}

/// Why something holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The owner has set it.
    Set,
    /// The server has said so.
    Said,
    /// The server did not take something else.
    Refused {
        /// What happened: `json was answered with 400: no grammar`.
        words: String,
        /// How long ago.
        ago: Duration,
        /// How long it still holds, if it ends by itself.
        left: Option<Duration>,
    },
    /// It is what SafeClaw asks for.
    Usual,
    /// Nobody has said anything, so it is what is likely.
    Guessed,
}
