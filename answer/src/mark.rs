//! What may begin at a place in a model's text.

/// Three backticks.
pub(super) const FENCE: &str = "```";

/// The shape of what stands in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Values, or calls as Python writes them.
    Values,
    /// The same, and words may follow without a tag between them.
    Open,
    /// `NAME>{...}`, what is left of `<function=NAME>{...}`.
    Function,
    /// The object that is a whole answer.
    Envelope,
}

/// What begins at a place in the words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mark {
    /// Nothing but text.
    None,
    /// The text is too short to say.
    Undecided,
    /// This, in so many bytes; a fence in front of a tag is included.
    Found(Tag, usize),
}

/// What a mark is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tag {
    /// A block until one of these tags.
    Block(Form, &'static [&'static str]),
    /// The end of a block that was not begun.
    BlockEnd,
    /// A tag of calls that nobody here can read.
    Foreign(&'static str),
    /// Reasoning until this tag.
    Reasoning(&'static str),
    /// The end of reasoning that was not begun.
    ReasoningEnd,
    /// A server's own mark that says nothing to people.
    Control,
    /// A fence whose content may be calls; whether its language says that it is.
    Fence(bool),
    /// A value that may be a call.
    Value,
    /// A call as Python writes it.
    Python,
    /// The message of an answer that is one object; it begins behind the mark.
    Message,
}
