//! Where the division of a text is, and what that makes of what follows.

use super::formats::json::message::DecodedMessage;
use super::held::Held;

/// What words behind the latest block would mean.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// Nothing.
    #[default]
    Nothing,
    /// A block without a tag may be an example when words follow.
    Doubt,
    /// So may one that the same line leads to; whether in the middle of a sentence.
    SameLine(bool),
}

/// Where in a text the division is; `S` divides the message of an answer that is one object.
#[derive(Debug, Default)]
pub(super) enum Place<S> {
    /// In the words.
    #[default]
    Words,
    /// In the latest block, until one of these tags.
    Block(&'static [&'static str]),
    /// Until this tag.
    Reasoning(&'static str),
    /// In what may be a call without a tag.
    Held(Held),
    /// In the message of an answer that is one object.
    Message(DecodedMessage, Box<S>),
    /// Nothing that still comes counts.
    Over,
}
