//! Text with everything kept but what a terminal would act on.

/// Whether a terminal, or a reader of bidirectional text, would act on `c` instead of showing it.
pub(crate) fn acts(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A whole text with every character kept that a terminal would not act on.
pub fn harmless(text: &str) -> String {
    text.chars().filter(|c| !acts(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_never_given_orders() {
        assert_eq!(harmless("a\x1b[2J\u{9b}1m\x07\r\u{202e}b\tc\n"), "a[2J1mb\tc\n");
    }
}
