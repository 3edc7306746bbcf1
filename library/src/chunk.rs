//! Passages: sections cut into pieces that a model can take in, ending where a sentence ends.
//!
//! The sizes are the seed's: 2,000 characters, 200 of them repeated from the piece before. An end is sought
//! in the last quarter of a piece alone, so that no mark near its beginning makes pieces of a few words.

use crate::item::hex;
use crate::query::unbroken;
use crate::{Document, Pages};

/// The longest passage, in characters.
pub const SIZE: usize = 2_000;

/// How much a passage repeats of the one before it, in characters.
pub const OVERLAP: usize = 200;

/// Where a passage may end, the better place first.
const ENDS: [&str; 5] = [". ", "! ", "? ", "\n\n", "\n"];

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its identity: where it stands and what it says. 16 hexadecimal digits.
    pub id: String,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Where it stands, in files that have pages.
    pub pages: Option<Pages>,
    /// Its text.
    pub text: String,
}

/// The passages of `document`, whose identity is `item`. What is blank gives none.
#[must_use]
pub fn passages(item: &str, document: &Document) -> Vec<Passage> {
    let mut seen = std::collections::HashMap::<String, u32>::new();
    let mut passages = Vec::new();
    for section in &document.sections {
        for (at, text) in pieces(&section.text) {
            let plain = unbroken(text);
            if plain.trim().is_empty() {
                continue;
            }
            let headings = section.headings.join("\u{1f}");
            let pages = section.pages_of(&(at..at + text.len()));
            let page = pages.map_or(0, |pages| pages.first).to_le_bytes();
            let said = hex(&[item.as_bytes(), headings.as_bytes(), &page, text.as_bytes()]);
            // The same words below the same heading once more are another passage.
            let count = seen.entry(said.clone()).or_default();
            *count += 1;
            let id = match *count {
                1 => said,
                more => hex(&[said.as_bytes(), &more.to_le_bytes()]),
            };
            passages.push(Passage {
                id,
                headings: section.headings.iter().map(|heading| unbroken(heading)).collect(),
                pages,
                text: plain,
            });
        }
    }
    passages
}

/// `text` in pieces of at most [`SIZE`] characters, each with where it begins in bytes; each but the first
/// repeats [`OVERLAP`] of the one before.
pub fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let mut done = text.is_empty();
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let rest = &text[start..];
        // What has no more bytes has no more characters.
        let limit = (rest.len() > SIZE).then(|| rest.char_indices().nth(SIZE)).flatten();
        let Some((limit, _)) = limit else {
            done = true;
            return Some((start, rest));
        };
        let piece = &rest[..end(&rest[..limit])];
        let back = piece.char_indices().rev().nth(OVERLAP - 1).map_or(0, |(at, _)| at);
        let at = start;
        start += back;
        Some((at, piece))
    })
}

/// Where the piece that could fill all of `window` ends, in bytes.
fn end(window: &str) -> usize {
    let quarter = window.char_indices().rev().nth(SIZE / 4 - 1).map_or(0, |(at, _)| at);
    let tail = &window[quarter..];
    ENDS.iter()
        .find_map(|mark| tail.rfind(mark).map(|at| quarter + at + mark.len()))
        .unwrap_or(window.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Section;

    fn lengths(text: &str) -> Vec<usize> {
        pieces(text).map(|(_, piece)| piece.chars().count()).collect()
    }

    #[test]
    fn without_a_mark_a_piece_is_cut_at_its_size() {
        assert_eq!(lengths(&"a".repeat(2_000)), [2_000]);
        assert_eq!(lengths(&"a".repeat(2_001)), [2_000, 201]);
        assert_eq!(lengths(&"日".repeat(5_000)), [2_000, 2_000, 1_400]);
        assert_eq!(lengths(""), [0; 0]);
    }

    #[test]
    fn a_piece_ends_with_a_sentence_of_its_last_quarter() {
        let text = format!("{}. {}", "a".repeat(1_598), "b".repeat(1_000));
        assert_eq!(lengths(&text), [1_600, 1_200]);
        // A better mark wins though a worse one comes later, and one too early counts for nothing.
        let text = format!("{}. {}\n{}", "a".repeat(1_598), "b".repeat(100), "c".repeat(1_000));
        assert_eq!(lengths(&text)[0], 1_600);
        let text = format!("{}. {}", "a".repeat(100), "b".repeat(3_000));
        assert_eq!(lengths(&text)[0], 2_000);
    }

    #[test]
    fn many_marks_make_no_more_pieces_than_their_length_needs() {
        let text = "Go. ".repeat(9_500);
        assert!(lengths(&text).len() <= 38_000 / (1_500 - OVERLAP) + 1, "{}", lengths(&text).len());
    }

    #[test]
    fn a_passage_keeps_its_identity_while_its_place_and_words_stay() {
        let section = |heading: &str, text: &str| Section::new(vec![heading.to_owned()], text);
        let ids = |sections: Vec<Section>| -> Vec<String> {
            let document = Document { sections, notes: Vec::new() };
            passages("item", &document).into_iter().map(|passage| passage.id).collect()
        };
        let before = ids(vec![section("A", "one"), section("B", "two")]);
        let after =
            ids(vec![section("New", "x"), section("A", "one"), section("B", "two, changed")]);
        assert_eq!(before[0], after[1]);
        assert_ne!(before[1], after[2]);
        let twice = ids(vec![section("A", "one"), section("A", "one"), section("A", " \n")]);
        assert_eq!(twice.len(), 2);
        assert_ne!(twice[0], twice[1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        #[test]
        fn pieces_give_the_text_back(text in "(.|\n|[a-z]{1,40}[.!?] ){0,400}") {
            let mut whole = String::new();
            for (index, (_, piece)) in pieces(&text).enumerate() {
                prop_assert!(piece.chars().count() <= SIZE);
                let skip = if index == 0 { 0 } else { OVERLAP };
                whole.extend(piece.chars().skip(skip));
            }
            prop_assert_eq!(whole, text);
        }
    }
}
