//! Takes off the names that models write before their words although they were told not to.

use std::sync::LazyLock;

use regex::Regex;

/// What both of AIStorm's forms take off: any run of `[Something]:` at the beginning, each perhaps as a heading.
static PREFIXES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:(?:##\s*)*\[\s*[^\]]+\]\s*:\s*)+").ok());

/// `reply` without a speaker's name before it. Nothing is left of a reply that is only a name.
#[must_use]
pub fn cleaned(reply: &str) -> &str {
    let prefix = PREFIXES.as_ref().and_then(|prefixes| prefixes.find(reply));
    &reply[prefix.map_or(0, |prefix| prefix.end())..]
}

#[cfg(test)]
mod tests {
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
}
