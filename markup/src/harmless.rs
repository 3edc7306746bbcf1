//! Text with everything kept but what a terminal would act on.

/// Whether `c` is a control character that does more than end a line or a column.
pub(crate) fn controls(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// Whether a terminal would act on `c` instead of showing it. A control of bidirectional text has no width, and with it a line can
/// show its words in an order that is not the one in which they are copied.
pub(crate) fn acts(c: char) -> bool {
    controls(c) || legible::turns(c)
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
