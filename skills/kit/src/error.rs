//! What a skill says when it cannot do what was asked.

use std::error::Error;

use serde_json::{Value, json};

/// A failure in words, which the router passes on to the person who asked.
///
/// It is made from any error by `?`, with the whole chain of causes in its words. (That is why it is no
/// [`std::error::Error`] itself: the conversion would then overlap with the one from itself.)
///
/// ```
/// use safeclaw_skill::SkillError;
///
/// fn port(text: &str) -> Result<u16, SkillError> {
///     if text.is_empty() {
///         return Err(SkillError::new("no port was given"));
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(port("http").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillError {
    words: String,
    maybe_executed: bool,
}

impl SkillError {
    /// A failure with these words: what went wrong, and what to do about it.
    pub fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), maybe_executed: false }
    }

    /// The same, where what was asked may have been done all the same: nobody repeats it by themselves then.
    #[must_use]
    pub fn maybe_executed(self) -> Self {
        Self { maybe_executed: true, ..self }
    }

    /// What is answered in the place of a result.
    pub(crate) fn answer(&self) -> Value {
        match self.maybe_executed {
            true => json!({"error": self.words, "maybe_executed": true}),
            false => json!({"error": self.words}),
        }
    }
}

impl std::fmt::Display for SkillError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

impl<E: Error> From<E> for SkillError {
    fn from(error: E) -> Self {
        let mut words = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let more = error.to_string();
            // Some libraries repeat the cause in their own words.
            if !words.contains(&more) {
                words = format!("{words}: {more}");
            }
            cause = error.source();
        }
        Self::new(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the file is unreadable")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn the_words_hold_the_whole_chain() {
        let error = SkillError::from(Outer(std::io::Error::other("disk on fire")));
        assert_eq!(error.to_string(), "the file is unreadable: disk on fire");
    }
}
