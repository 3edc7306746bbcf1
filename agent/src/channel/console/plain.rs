//! Model text made fit for a terminal: Markdown shown plainly, and nothing that a terminal would act on.

/// Takes text in pieces and gives it without Markdown's marks for emphasis and headings, and without
/// control characters.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// Marks that may still turn out to be something else.
    held: String,
    within_line: bool,
}

impl Plain {
    /// Takes the next piece and gives what can be shown now.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for c in piece.chars().filter(|c| !acts(*c)) {
            if self.holds(c) {
                self.held.push(c);
                continue;
            }
            shown.push_str(&self.release(c));
            shown.push(c);
            self.within_line = c != '\n';
        }
        shown
    }

    /// Ends the text and gives what was held back.
    pub(super) fn finish(&mut self) -> String {
        let rest = self.release('\n');
        self.within_line = false;
        rest
    }

    /// Whether `c` belongs to marks that have begun, or begins some.
    fn holds(&self, c: char) -> bool {
        match self.held.chars().next() {
            Some('#') => c == '#',
            Some(mark) => c == mark,
            None => c == '*' || (c == '#' && !self.within_line),
        }
    }

    /// What remains of the marks that were held, now that `next` has come.
    fn release(&mut self, next: char) -> String {
        let held = std::mem::take(&mut self.held);
        match held.as_str() {
            // A heading's marks and the space after them; `#tag` is none.
            marks if marks.starts_with('#') => {
                if next == ' ' {
                    String::new()
                } else {
                    held
                }
            }
            // `**` and `***` are emphasis; a lone `*` is a bullet, a product or a footnote.
            "**" | "***" => String::new(),
            _ => held,
        }
    }
}

/// Whether a terminal, or a reader of bidirectional text, would act on `c` instead of showing it.
fn acts(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A whole text at once.
pub(super) fn plain(text: &str) -> String {
    let mut plain = Plain::default();
    let mut shown = plain.push(text);
    shown.push_str(&plain.finish());
    shown
}

/// A whole text with everything kept but what a terminal would act on.
pub(in crate::channel) fn harmless(text: &str) -> String {
    text.chars().filter(|c| !acts(*c)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_are_left_out_and_text_is_kept() {
        for (text, shown) in [
            ("**bold** and ***both***", "bold and both"),
            ("# Title\n## Two\ntext", " Title\n Two\ntext"),
            ("a * b, 2*3", "a * b, 2*3"),
            ("* item\n- item", "* item\n- item"),
            ("#tag and C#", "#tag and C#"),
            ("```sh\nls | wc\n```", "```sh\nls | wc\n```"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn a_terminal_is_never_given_orders() {
        assert_eq!(plain("a\x1b[2J\u{9b}1m\x07\r\u{202e}b\tc\n"), "a[2J1mb\tc\n");
    }

    proptest! {
        #[test]
        fn pieces_give_the_same_as_the_whole(text: String, cut in 0usize..64) {
            let cut = text.char_indices().nth(cut).map_or(text.len(), |(at, _)| at);
            let mut pieces = Plain::default();
            let mut shown = pieces.push(&text[..cut]);
            shown.push_str(&pieces.push(&text[cut..]));
            shown.push_str(&pieces.finish());
            prop_assert_eq!(shown, plain(&text));
        }
    }
}
