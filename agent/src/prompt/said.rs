//! What a person said, as it is held against actions: the words, and what they mean in English if they are not.

/// A message, with its gloss.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    /// What the user said.
    pub(crate) message: &'a str,
    /// The same in English, if the model was asked for it.
    pub(crate) gloss: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// A message without a gloss.
    pub(crate) fn plainly(message: &'a str) -> Self {
        Self { message, gloss: None }
    }

    /// The message, then its gloss.
    pub(super) fn texts(self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.message).chain(self.gloss)
    }
}
