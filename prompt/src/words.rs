//! The words of a text that say what is wanted, so that two texts can be held against each other.

use std::collections::BTreeSet;

use conversation::workspace::urls;

use super::tongue::Tongue;

/// How many letters of a word count, so that `remembering` is `remember`, while `publish` is not `public`.
const STEM: usize = 6;

/// The words of a text that say something, in lower case and cut to their stems. Addresses and files count as what
/// they are, for no two are the same; of a script without spaces, every two letters are a word.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    in_order(text, Tongue::of(text)).collect()
}

/// The same as they stand there, in a text of this language.
pub(super) fn in_order(text: &str, tongue: Tongue) -> impl Iterator<Item = String> {
    text.split_whitespace().flat_map(move |word| pieces(word, |part| !tongue.is_empty(part)))
}

/// All words of a text, those that say little included, cut to their stems as [`words`] are.
pub(super) fn plain_words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().flat_map(|word| pieces(word, |_| true))
}

/// Whether a word stands for an address or a file.
pub(super) fn words_of_kind(word: &str) -> bool {
    word.starts_with('<')
}

/// Whether `value`, of one word or several, stands in a text, whatever its words say else.
pub(super) fn names(text: &str, value: &str) -> bool {
    let tokens = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(self::value).collect()
    };
    let wanted = tokens(value);
    !wanted.is_empty() && tokens(text).windows(wanted.len()).any(|some| some == wanted)
}

/// The words of a text as they may be values of a parameter; `on` says too little.
pub(super) fn values(text: &str, tongue: Tongue) -> BTreeSet<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    // Between Chinese or Japanese letters a name of ASCII letters stands without spaces.
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.chain(runs).map(value).filter(|word| !tongue.is_empty(word)).collect()
}

/// A value as it is looked for: a letter alone is meant as it is written.
pub(super) fn value(text: &str) -> String {
    if text.chars().count() == 1 { text.to_owned() } else { text.to_lowercase() }
}

fn pieces(word: &str, tells: impl Fn(&str) -> bool) -> Vec<String> {
    if let Some(kind) = kind(word) {
        return vec![kind.to_owned()];
    }
    let parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let parts = parts.map(str::to_lowercase).filter(|part| tells(part));
    parts.flat_map(|part| stems(&part)).filter(|stem| tells(stem)).collect()
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
    text.contains(char::is_numeric)
}

/// The kinds of all addresses and files in a text.
pub(super) fn kinds(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().filter_map(kind).map(str::to_owned)
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/')
}

/// Ends of names that are files, though some of them could be addresses.
const FILES: [&str; 18] = [
    ".txt", ".md", ".json", ".csv", ".html", ".pdf", ".doc", ".docx", ".xls", ".xlsx", ".odt",
    ".png", ".jpg", ".jpeg", ".js", ".ts", ".py", ".zip",
];

/// What a word is if it is no word of a language.
fn kind(word: &str) -> Option<&'static str> {
    let word = bare(word);
    let is_url = |word: &str| urls(word).next().is_some();
    let lower = word.to_lowercase();
    match lower.as_str() {
        scheme if scheme.contains("://") => Some("<url>"),
        mail if mail.contains('@') && mail.contains('.') => Some("<mail>"),
        file if FILES.iter().any(|end| file.ends_with(end)) => Some("<file>"),
        url if is_url(url) => Some("<url>"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_dot_is_not_always_an_address() {
        for (word, expected) in [
            ("www.example.org", Some("<url>")),
            ("(https://a.example/x.pdf)", Some("<url>")),
            ("eva@example.org.", Some("<mail>")),
            ("output/report.pdf?", Some("<file>")),
            ("Node.js", Some("<file>")),
            ("p.m.", None),
            ("z.B.", None),
            ("3.5km", None),
            ("22.30Uhr", None),
        ] {
            assert_eq!(kind(word), expected, "{word}");
        }
    }

    #[test]
    fn a_value_is_named_by_all_its_words() {
        assert!(names("Heat the living-room, please", "living room"));
        assert!(names("switch it on", "on") && names("auf X, bitte", "X"));
        assert!(!names("a room for living", "living room") && !names("once an x", "X"));
        assert!(!names("anything", ""));
    }

    #[test]
    fn a_letter_alone_is_a_value_only_as_it_is_written() {
        let values = |text| values(text, Tongue::of(text));
        assert!(values("on X, please").contains("X"));
        assert!(!values("an x or two").contains("X"));
        assert!(values("\u{5728}Mastodon\u{4e0a}").contains("mastodon"));
    }
}
