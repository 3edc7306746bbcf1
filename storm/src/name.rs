//! The names of storms and of those who speak in them.

use std::fmt;

/// How a person is called in prompts, and in the logs of AIStorm's later layout.
pub const HUMAN: &str = "Human";

/// How a person is called in logs.
pub const USER: &str = "user";

/// How many bytes a name may have: a file name holds 255, and the ending must fit behind it.
pub const NAME_LIMIT: usize = 120;

/// A name that is one safe file name, so that it leads nowhere else, and that looks like nobody else's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is nothing, or white space at an end.
    #[error("{0:?} is no name; it needs a character, and no white space at its ends")]
    Blank(String),
    /// It would lead into another folder, or hide.
    #[error("{0:?} is no name; it may hold no / and no \\, and may not begin with a dot")]
    Path(String),
    /// It would break the form of a log or of a prompt, or looks like another name.
    #[error("{0:?} is no name; brackets, line breaks and invisible characters may not stand in it")]
    Character(String),
    /// It is too long for a file name.
    #[error("a name may have {NAME_LIMIT} bytes; this one has {0}")]
    Long(usize),
}

impl Name {
    /// Checks a name.
    ///
    /// # Errors
    /// [`NameError`] says what may not stand in it.
    pub fn new(text: &str) -> Result<Self, NameError> {
        if text.len() > NAME_LIMIT {
            return Err(NameError::Long(text.len()));
        }
        if text.trim().is_empty() || text.trim() != text {
            return Err(NameError::Blank(text.to_owned()));
        }
        if text.starts_with('.') || text.contains(['/', '\\']) {
            return Err(NameError::Path(text.to_owned()));
        }
        let breaks = |c: char| matches!(c, '[' | ']') || is_line_break(c) || is_invisible(c);
        if text.contains(breaks) {
            return Err(NameError::Character(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a message from `name` is from a person: AIStorm wrote `user` first and `Human` later.
#[must_use]
pub fn is_person(name: &str) -> bool {
    [HUMAN, USER].iter().any(|person| person.eq_ignore_ascii_case(name.trim()))
}

/// Whether two names are taken for one: letter case does not tell them apart, for it does not on every disk.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}

/// Whether a character ends a line for some reader.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether nobody sees a character: controls, those without a width, and those that turn the direction.
pub(crate) fn is_invisible(c: char) -> bool {
    legible::is_unseen(c) || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_people_and_of_minds_are_names() {
        for name in ["weekend", "Creative Thinker", "O'Neill \"Red\"", "Ärztin 医者", "a.b"] {
            assert_eq!(Name::new(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn what_leads_elsewhere_or_looks_like_another_is_refused() {
        for name in ["../x", "a/b", "a\\b", "..", ".hidden"] {
            assert!(matches!(Name::new(name), Err(NameError::Path(_))), "{name}");
        }
        for name in ["", " ", " a", "a\n"] {
            assert!(matches!(Name::new(name), Err(NameError::Blank(_))), "{name:?}");
        }
        for name in ["a\nb", "Human]: yes [b", "Hu\u{200b}man", "a\u{202e}b", "a\0b"] {
            assert!(matches!(Name::new(name), Err(NameError::Character(_))), "{name:?}");
        }
        assert_eq!(Name::new(&"é".repeat(61)), Err(NameError::Long(122)));
    }

    #[test]
    fn a_person_goes_by_two_names() {
        assert!(is_person("user") && is_person("Human") && is_person("USER"));
        assert!(!is_person("Humanist") && !is_person(""));
    }
}
