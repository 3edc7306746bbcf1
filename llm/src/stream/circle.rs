//! Notices that a model says the same again and again, as small models do until their answer is as long as it may be.

/// How long a passage may be that comes again, in bytes: some lines of a list.
const PASSAGE: usize = 400;

/// How often it has come before nobody waits for something else.
const TIMES: usize = 8;

/// How much of an answer has to be the same passage, in bytes, however short that is: rulers and drawings stay.
const LEAST: usize = 1_024;

/// How many bytes come before it is looked again.
const EACH: usize = 64;

/// The end of a text, in which a passage may come again and again.
#[derive(Debug, Default)]
pub(super) struct Circle {
    tail: Vec<u8>,
    /// How much has come since the last look, in bytes.
    unseen: usize,
}

impl Circle {
    /// Takes a piece, and says whether the text goes round in a circle by now.
    pub(super) fn goes_round(&mut self, piece: &str) -> bool {
        self.tail.extend_from_slice(piece.as_bytes());
        self.unseen += piece.len();
        if self.unseen < EACH {
            return false;
        }
        self.unseen = 0;
        let needed = LEAST.max(PASSAGE * TIMES) + PASSAGE;
        let spare = self.tail.len().saturating_sub(needed);
        self.tail.drain(..spare);
        (1..=PASSAGE).any(|passage| self.comes_again(passage))
    }

    /// Whether the end is one passage of this length, as often as nobody says anything.
    fn comes_again(&self, passage: usize) -> bool {
        let length = LEAST.max(passage * TIMES);
        let Some(from) = self.tail.len().checked_sub(length) else { return false };
        let end = &self.tail[from..];
        end[passage..] == end[..length - passage]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// After how many bytes a text that comes in pieces goes round, if it does.
    fn after(text: &str, piece: usize) -> Option<usize> {
        let mut circle = Circle::default();
        let letters: Vec<char> = text.chars().collect();
        let mut read = 0;
        letters.chunks(piece).find_map(|chunk| {
            let chunk: String = chunk.iter().collect();
            read += chunk.len();
            circle.goes_round(&chunk).then_some(read)
        })
    }

    #[test]
    fn a_list_without_end_is_noticed_soon() {
        let list = "- 1/2 cup of flour\n- 1/2 cup of salt\n".repeat(200);
        for piece in [1, 3, 50, 700] {
            let after = after(&format!("Mix these:\n{list}"), piece).unwrap();
            assert!(after < 2_000, "{after} bytes in pieces of {piece}");
        }
        assert!(after(&"no ".repeat(600), 2).is_some());
        assert!(after(&"ä".repeat(1_000), 1).is_some());
    }

    #[test]
    fn what_only_looks_alike_goes_on() {
        let rows: String =
            (0..400).map(|row| format!("| {row} | the same words | yes |\n")).collect();
        assert_eq!(after(&rows, 5), None);
        assert_eq!(after(&format!("{}\n", "-".repeat(80)).repeat(5), 5), None, "five rulers");
        let verses = "We all live in a yellow submarine, yellow submarine, yellow submarine.\n";
        assert_eq!(after(&verses.repeat(4), 5), None, "a refrain");
    }

    proptest! {
        #[test]
        fn text_without_a_passage_that_comes_again_is_never_stopped(words in "[a-z ]{0,900}") {
            prop_assert_eq!(after(&words, 7), None);
        }
    }
}
