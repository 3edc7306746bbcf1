//! What a storm is about: `<id>.ini.md`, an empty tag and the text.

use crate::escape::{escaped_tags, unescaped_tags};
use crate::segment::{Properties, Segment};

/// How many bytes a premise may have. It stands in every request, beside all that was said.
pub const PREMISE_LIMIT: usize = 64 * 1024;

/// The premise of a storm: not empty, and short enough to be sent each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Premise(String);

/// Why a text is no premise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PremiseError {
    /// There is no text.
    #[error("the premise is empty; say in a sentence what the storm is about")]
    Empty,
    /// There is too much of it.
    #[error(
        "a premise may have {PREMISE_LIMIT} bytes, and this one has {0}; sum it up, and say the rest in parts"
    )]
    Long(usize),
    /// The file is not one of a premise.
    #[error("it has no line <aistorm /> at its top")]
    NoTag,
}

impl Premise {
    /// Checks a premise.
    ///
    /// # Errors
    /// [`PremiseError`] when it is empty or too long.
    pub fn new(text: &str) -> Result<Self, PremiseError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PremiseError::Empty);
        }
        if text.len() > PREMISE_LIMIT {
            return Err(PremiseError::Long(text.len()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads the file of a premise.
    ///
    /// # Errors
    /// [`PremiseError`] also when it has no tag.
    pub fn read(text: &str) -> Result<Self, PremiseError> {
        Self::of(Segment::all(text).first().ok_or(PremiseError::NoTag)?)
    }

    /// Reads one piece of a file.
    ///
    /// # Errors
    /// As for [`Premise::new`].
    pub fn of(segment: &Segment<'_>) -> Result<Self, PremiseError> {
        Self::new(&unescaped_tags(segment.content))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file of a premise.
    #[must_use]
    pub fn write(&self) -> String {
        format!("{}\n\n{}\n", Properties::default(), escaped_tags(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_that_of_the_specification() {
        let text = "<aistorm />\n\nThis is an example session premise for a brainstorming session about weekend projects.\n";
        let premise = Premise::read(text).unwrap();
        assert!(premise.as_str().starts_with("This is") && premise.as_str().ends_with("projects."));
        assert_eq!(premise.write(), text);
    }

    #[test]
    fn too_much_and_too_little_are_refused() {
        assert_eq!(Premise::new(" \n"), Err(PremiseError::Empty));
        assert_eq!(Premise::new(&"x".repeat(200_000)), Err(PremiseError::Long(200_000)));
        assert_eq!(Premise::read("weekend projects"), Err(PremiseError::NoTag));
    }
}
