//! Texts as a search for secrets sees them.

use std::ops::Range;

use data_encoding::HEXLOWER_PERMISSIVE;

/// A text in which a secret stands in one piece, with the place that each byte has in the original.
pub(super) struct View {
    pub(super) text: String,
    from: Vec<Range<usize>>,
}

impl View {
    /// `text` without white space.
    pub(super) fn solid(text: &str) -> Self {
        let mut view = Self { text: String::with_capacity(text.len()), from: Vec::new() };
        let solid = text.char_indices().filter(|(_, c)| !c.is_whitespace());
        solid.for_each(|(at, c)| view.push(c, at..at + c.len_utf8()));
        view
    }

    /// The same with percent-encoded bytes decoded. What is not ASCII is percent-encoded then, for a part of
    /// a character is no text.
    pub(super) fn decoded(text: &str) -> Self {
        let mut view = Self { text: String::with_capacity(text.len()), from: Vec::new() };
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let hex = text.get(at + 1..at + 3).filter(|_| c == '%');
            let byte = hex.and_then(|hex| HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).ok());
            let length = byte.as_ref().map_or(c.len_utf8(), |_| 3);
            let bytes = byte.unwrap_or_else(|| c.to_string().into_bytes());
            let white = bytes.iter().all(u8::is_ascii_whitespace) || c.is_whitespace();
            let shown = bytes.iter().filter(|_| !white).flat_map(|byte| encoded(*byte));
            shown.for_each(|c| view.push(c, at..at + length));
            at += length;
        }
        view
    }

    /// How a value looks in [`Self::decoded`].
    pub(super) fn plain(value: &str) -> String {
        let solid = value.bytes().filter(|byte| !byte.is_ascii_whitespace());
        solid.flat_map(encoded).collect()
    }

    fn push(&mut self, c: char, from: Range<usize>) {
        self.text.push(c);
        self.from.extend(std::iter::repeat_n(from, c.len_utf8()));
    }

    /// Where the needles stand in the original.
    pub(super) fn find(&self, needles: &[String]) -> Vec<Range<usize>> {
        let places = needles.iter().flat_map(|needle| {
            self.text.match_indices(needle.as_str()).map(|(at, found)| at..at + found.len())
        });
        places.map(|place| self.from[place.start].start..self.from[place.end - 1].end).collect()
    }
}

fn encoded(byte: u8) -> Vec<char> {
    if byte.is_ascii() { vec![byte.into()] } else { format!("%{byte:02X}").chars().collect() }
}
