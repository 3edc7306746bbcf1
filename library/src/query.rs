//! Makes a query of any text, in any script.
//!
//! A word with marks inside, such as `foo-bar`, `don't` or an address, is a phrase, and [its parts](with_parts) count, too.
//! Scripts that write no spaces are cut into pairs of characters, in the index and in the query alike. What stands in
//! double quotes is a phrase. There is nothing that a query cannot hold, and no way to say it wrong.

/// The most terms of one query; more make it slower and not better.
const MOST_TERMS: usize = 32;

/// One thing to look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// Words that follow each other, as they were written.
    Words(String),
    /// Pairs of characters that follow each other.
    Pairs(String),
    /// The beginning of a pair: a single character of a script without spaces.
    Character(char),
}

impl Term {
    /// What FTS5 is asked for it. Nothing in a term ends the quotes.
    #[must_use]
    pub fn expression(&self) -> String {
        match self {
            Self::Words(words) => format!("\"{words}\""),
            Self::Pairs(pairs) => format!("grams : \"{pairs}\""),
            Self::Character(one) => format!("grams : \"{one}\" *"),
        }
    }

    /// Whether it is several words.
    #[must_use]
    pub fn is_phrase(&self) -> bool {
        matches!(self, Self::Words(words) if words.contains(' '))
    }

    /// The text from which the index makes its words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Words(text) | Self::Pairs(text) => text.clone(),
            Self::Character(one) => one.to_string(),
        }
    }
}

/// `text` without the characters within words that only say where a line may break, as soft hyphens do.
#[must_use]
pub fn unbroken(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.replace(['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'], "")
}

/// The terms of `text`, each once, in their order.
#[must_use]
pub fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for (quoted, piece) in quotes(&unbroken(text)) {
        let is_phrase = quoted && piece.split_whitespace().nth(1).is_some();
        if is_phrase && !piece.chars().any(is_spaceless) {
            push(&mut terms, words(piece));
            continue;
        }
        for word in piece.split_whitespace() {
            for (spaceless, run) in runs(word) {
                push(&mut terms, if spaceless { characters(run) } else { words(run) });
            }
        }
        if terms.len() >= MOST_TERMS {
            break;
        }
    }
    terms.truncate(MOST_TERMS);
    terms
}

/// The `terms`, and behind them the single words of those that are phrases.
#[must_use]
pub fn with_parts(terms: &[Term]) -> Vec<Term> {
    let mut all = terms.to_vec();
    for words in terms.iter().filter(|term| term.is_phrase()).map(Term::text) {
        for word in words.split(' ') {
            push(&mut all, Some(Term::Words(word.to_owned())));
        }
    }
    all.truncate(2 * MOST_TERMS);
    all
}

/// `text` in pieces, and whether each stands in quotes. A mark behind a letter opens none, as in `15" wide`, and one without
/// another behind it neither.
fn quotes(text: &str) -> Vec<(bool, &str)> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    let opens = |before: &str| !before.ends_with(is_letter);
    while let Some((before, behind)) = rest
        .match_indices('"')
        .map(|(at, _)| (&rest[..at], &rest[at + 1..]))
        .find(|(it, _)| opens(it))
        && let Some((inside, after)) = behind.split_once('"')
    {
        pieces.extend([(false, before), (true, inside)]);
        rest = after;
    }
    pieces.push((false, rest));
    pieces
}

fn push(terms: &mut Vec<Term>, term: Option<Term>) {
    terms.extend(term.filter(|term| !terms.contains(term)));
}

fn words(text: &str) -> Option<Term> {
    let plain: String = text.chars().map(|c| if is_letter(c) { c } else { ' ' }).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    (!plain.is_empty()).then_some(Term::Words(plain))
}

fn characters(run: &str) -> Option<Term> {
    let mut characters = run.chars();
    let first = characters.next()?;
    if characters.next().is_none() {
        return Some(Term::Character(first));
    }
    Some(Term::Pairs(pairs(run).collect::<Vec<_>>().join(" ")))
}

fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let ends = run.char_indices().skip(2).map(|(at, _)| at).chain([run.len()]);
    run.char_indices().zip(ends).map(|((start, _), end)| &run[start..end])
}

/// What the column `grams` holds for `texts`: the pairs of their runs without spaces, the last character of
/// each, and the other words that hang on such a run.
#[must_use]
pub fn grams(texts: &[&str]) -> String {
    let mut grams = Vec::new();
    // The first character of such a script has three bytes, the first of them 0xe0.
    let may_hold = |text: &&&str| text.bytes().any(|byte| byte >= 0xe0);
    let pieces = texts.iter().filter(may_hold).flat_map(|text| text.split_whitespace());
    for word in pieces.filter(|word| word.chars().any(is_spaceless)) {
        for (spaceless, run) in runs(word) {
            if spaceless {
                let pieces = pairs(run).filter(|pair| pair.chars().nth(1).is_some());
                grams.extend(pieces.map(str::to_owned));
                grams.extend(run.chars().next_back().map(String::from));
            } else if let Some(Term::Words(words)) = words(run) {
                grams.push(words);
            }
        }
    }
    grams.join(" ")
}

/// `word` in runs of one kind: of a script without spaces, or of others.
fn runs(word: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let kind = is_spaceless(rest.chars().next()?);
        let end = rest.find(|c| is_spaceless(c) != kind).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some((kind, run))
    })
}

/// Whether the index takes `c` for a part of a word.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// Marks that belong to the letter before them (of the blocks in which they are common).
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{65f}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{fff}')
}

/// Whether `c` belongs to a script that writes no spaces between words: Chinese, Japanese, Thai, Lao, Khmer,
/// Burmese; and Korean, whose words carry their endings.
const fn is_spaceless(c: char) -> bool {
    matches!(
        c,
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{103e}' | '\u{1780}'..='\u{17d3}'
            | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30fe}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        terms(text).iter().map(Term::expression).collect()
    }

    #[test]
    fn any_text_is_a_query() {
        for (text, expected) in [
            ("foo-bar-baz", vec!["\"foo bar baz\""]),
            ("v1.2.3?", vec!["\"v1 2 3\""]),
            ("C++ (really)", vec!["\"C\"", "\"really\""]),
            ("me@example.org", vec!["\"me example org\""]),
            ("café café", vec!["\"café\""]),
            ("a \"red fox\" b", vec!["\"a\"", "\"red fox\"", "\"b\""]),
            ("15\" (\"red fox\")", vec!["\"15\"", "\"red fox\""]),
            ("a \"red fox", vec!["\"a\"", "\"red\"", "\"fox\""]),
            ("in\u{ad}dex\u{200b}", vec!["\"index\""]),
            ("日本語", vec!["grams : \"日本 本語\""]),
            ("猫", vec!["grams : \"猫\" *"]),
            ("東京2020年", vec!["grams : \"東京\"", "\"2020\"", "grams : \"年\" *"]),
            ("AND NOT ( * \" :^ '", vec!["\"AND\"", "\"NOT\""]),
            ("…!?", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_indexed_by_pairs() {
        assert_eq!(grams(&["plain words", "größer"]), "");
        assert_eq!(grams(&["日本語", "and 東京2020年"]), "日本 本語 語 東京 京 2020 年");
    }

    proptest! {
        #[test]
        fn quotes_never_end_early(text in any::<String>()) {
            for term in terms(&text) {
                prop_assert!(!term.text().contains('"'));
                prop_assert!(!term.text().contains('\0'));
            }
        }
    }
}
