//! Takes off the names that models write before their words although they were told not to.

use std::sync::LazyLock;

use regex::Regex;

use crate::name::NAME_LIMIT;

/// What both of AIStorm's forms take off: any run of `[Something]:` at the beginning, each perhaps as a heading.
static PREFIXES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:(?:##\s*)*\[\s*[^\]]+\]\s*:\s*)+").ok());

/// `reply` without a speaker's name before it. Nothing is left of a reply that is only a name.
#[must_use]
pub fn cleaned(reply: &str) -> &str {
    let prefix = PREFIXES.as_ref().and_then(|prefixes| prefixes.find(reply));
    &reply[prefix.map_or(0, |prefix| prefix.end())..]
}

/// Lets the words of a reply through as they come, without names before them: the first are held until they are
/// no name.
#[derive(Debug)]
pub struct Opening {
    held: Option<String>,
}

/// How much may be held, in bytes: longer than any name.
const HELD: usize = 4 * NAME_LIMIT;

impl Default for Opening {
    fn default() -> Self {
        Self { held: Some(String::new()) }
    }
}

impl Opening {
    /// Takes the next piece, and gives what may be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        let Some(held) = &mut self.held else { return piece.to_owned() };
        held.push_str(piece);
        let words = cleaned(held);
        if may_be_name(words) && words.len() < HELD {
            return String::new();
        }
        let words = words.to_owned();
        self.held = None;
        words
    }

    /// Ends the reply, and gives what was held back only because more might have come.
    #[must_use]
    pub fn finish(self) -> String {
        cleaned(&self.held.unwrap_or_default()).to_owned()
    }
}

/// Whether what begins like this may turn out to be a speaker's name.
fn may_be_name(words: &str) -> bool {
    let words = words.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    match words.strip_prefix('[').map(|name| name.split_once(']')) {
        Some(Some((_, behind))) => behind.trim().is_empty(),
        Some(None) => true,
        None => words.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_before_the_words_are_taken_off() {
        for reply in [
            "hello",
            "[Agent B]: hello",
            "[Agent B]: [Agent B]: hello",
            "## [Agent B]:\n\nhello",
            "## ## [Agent B]: ## [A] :\nhello",
            " \n[ Agent B ] : hello",
        ] {
            assert_eq!(cleaned(reply), "hello", "{reply:?}");
        }
        for reply in ["## A heading\n[x]: y", "see [1]: that", "[ ] to do", "hello [B]: you", ""] {
            assert_eq!(cleaned(reply), reply);
        }
        assert_eq!(cleaned("## [Agent B]:\n"), "");
    }

    proptest! {
        #[test]
        fn what_is_shown_while_it_comes_is_what_is_kept(reply in r"(\[[A-Z ]{1,3}\]|\[|\]|:|## |#| |\n|[a-c]){0,14}", size in 1_usize..4) {
            let mut opening = Opening::default();
            let mut shown = String::new();
            let characters: Vec<char> = reply.chars().collect();
            for piece in characters.chunks(size) {
                shown.push_str(&opening.push(&String::from_iter(piece)));
            }
            shown.push_str(&opening.finish());
            prop_assert_eq!(shown, cleaned(&reply));
        }
    }
}
