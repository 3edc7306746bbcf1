//! What a person said, as it is held against actions: the words, and what they mean in English if they are not.

use std::borrow::Cow;

/// A message, with its gloss.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// What the user said.
    pub message: &'a str,
    /// The same in English, if the model was asked for it.
    pub gloss: Option<&'a str>,
}

/// How much of a message's beginning and of its end is looked at to guess what it is about, in bytes: who pastes a long text
/// says before or behind it what is to be done.
const LOOKED_AT: usize = 4_096;

/// What of a message tells what it is about.
pub fn telling(message: &str) -> Cow<'_, str> {
    if !is_long(message) {
        return Cow::Borrowed(message);
    }
    let begin = &message[..message.floor_char_boundary(LOOKED_AT)];
    let end = &message[message.ceil_char_boundary(message.len() - LOOKED_AT)..];
    Cow::Owned(format!("{begin} {end}"))
}

/// Whether a message is so long that only parts of it are looked at.
pub fn is_long(message: &str) -> bool {
    message.len() > 2 * LOOKED_AT
}

impl<'a> Said<'a> {
    /// A message without a gloss.
    pub fn plainly(message: &'a str) -> Self {
        Self { message, gloss: None }
    }

    /// The message, then its gloss.
    pub(super) fn texts(self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.message).chain(self.gloss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_message_its_beginning_and_its_end_tell() {
        assert_eq!(telling("Post 'Hi' to X."), "Post 'Hi' to X.");
        let long = format!("Sum this up: {} in short?", "\u{fc}, ".repeat(80_000));
        let told = telling(&long);
        assert!(told.starts_with("Sum this up: ") && told.ends_with(" in short?"));
        assert!(told.len() <= 2 * LOOKED_AT + 1);
    }
}
