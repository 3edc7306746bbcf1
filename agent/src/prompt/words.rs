//! The words of a text that say what is wanted, so that two texts can be held against each other.

use std::collections::BTreeSet;

/// How many letters of a word count, so that `remembering` is `remember`, while `publish` is not `public`.
const STEM: usize = 6;

/// Words that say nothing of what is wanted, in the languages that the first-party actions are shown in.
const EMPTY: [&str; 99] = [
    // English
    "the", "a", "an", "to", "of", "in", "on", "at", "is", "it", "and", "that", "my", "me", "i",
    "for", "do", "does", "what", "will", "be", "with", "from", "by", "or", "you", "your", "this",
    "are", "not", "no", "don", "as", "user", "some", "thing", "one", "s", "t", "has", "have",
    "can", "how", "was", "we", "tell", "please", "give", "which", "who", "why", "so", "if",
    "there", // German
    "der", "die", "das", "und", "ist", "ein", "eine", "auf", "im", "dass", "mir", "dir", "ich",
    "bitte", "was", "wie", "wer", "wird", "den", "dem", "zu", "mein", "meine",
    // Spanish
    "el", "la", "los", "las", "de", "en", "que", "y", "un", "una", "mi", "es", "qué", "con", "por",
    "favor", "del", "al", "se", "lo", "cómo", "quién",
];

/// The words of a text that say something, in lower case and cut to their stems. Addresses and files count as what
/// they are, for no two are the same; of a script without spaces, every two letters are a word.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace()
        .flat_map(pieces)
        .filter(|word| !EMPTY.contains(&word.as_str()))
        .collect()
}

/// The words of a text as they may be values of a parameter; `on` says too little.
pub(super) fn values(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    // Between Chinese or Japanese letters a name of ASCII letters stands without spaces.
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.chain(runs).map(value).filter(|word| !EMPTY.contains(&word.as_str())).collect()
}

/// A value as it is looked for: a letter alone is meant as it is written.
pub(super) fn value(text: &str) -> String {
    if text.chars().count() == 1 { text.to_owned() } else { text.to_lowercase() }
}

fn pieces(word: &str) -> Vec<String> {
    if let Some(kind) = kind(word) {
        return vec![kind.to_owned()];
    }
    let parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(|part| stems(&part.to_lowercase())).collect()
}

fn stems(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    if letters.iter().any(|letter| is_ideograph(*letter)) && letters.len() > 1 {
        return letters.windows(2).map(|two| two.iter().collect()).collect();
    }
    // `lights` is `light`.
    let plural = letters.len() > 3 && letters.last() == Some(&'s');
    vec![letters[..letters.len() - usize::from(plural)].iter().take(STEM).collect()]
}

/// Chinese and Japanese, which are written without spaces.
pub(super) fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The files in a text, as they stand there.
pub(super) fn files(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|word| kind(word) == Some("<file>")).map(bare)
}

/// Whether a number stands in a text.
pub(super) fn has_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// The kinds of all addresses and files in a text.
pub(super) fn kinds(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().filter_map(kind).map(str::to_owned)
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/')
}

/// What a word is if it is no word of a language.
fn kind(word: &str) -> Option<&'static str> {
    let word = bare(word);
    let dotted =
        word.contains('.') && !word.starts_with('.') && word.chars().any(char::is_alphabetic);
    match word {
        _ if word.contains("://") => Some("<url>"),
        _ if word.contains('@') && dotted => Some("<mail>"),
        _ if [".txt", ".md", ".json", ".csv", ".html"].iter().any(|end| word.ends_with(end)) => {
            Some("<file>")
        }
        _ if dotted => Some("<url>"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_alone_is_a_value_only_as_it_is_written() {
        assert!(values("on X, please").contains("X"));
        assert!(!values("an x or two").contains("X"));
        assert!(values("\u{5728}Mastodon\u{4e0a}").contains("mastodon"));
    }
}
