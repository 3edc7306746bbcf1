//! What is kept of an output, and how much of it is shown.

use std::collections::VecDeque;

/// How many bytes of one command's output are kept: the last ones.
const KEPT: usize = 10 * 1024 * 1024;

/// How many characters of it are shown: the first ones.
const SHOWN: usize = 10_000;

/// How many lines one section of the screen has.
pub(super) const LINES: usize = 50;

/// How many characters a line of the screen has.
const WIDTH: usize = 200;

/// The last bytes of a stream, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    all: usize,
}

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.all += bytes.len();
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let over = (self.bytes.len() + bytes.len()).saturating_sub(KEPT);
        self.bytes.drain(..over);
        self.bytes.extend(bytes);
    }

    /// Takes what is there as text.
    pub(super) fn take(&mut self) -> String {
        let bytes = Vec::from(std::mem::take(&mut self.bytes));
        let all = std::mem::take(&mut self.all);
        if bytes.contains(&0) {
            return format!("[binary output, {all} bytes: redirect it into a file]\n");
        }
        let text = String::from_utf8_lossy(&bytes);
        match all - bytes.len() {
            0 => text.into_owned(),
            lost => format!("[the first {lost} bytes are not kept]\n{text}"),
        }
    }
}

/// `output` as it is shown, with its true length where that is more.
pub(super) fn cut(output: &str) -> String {
    match output.char_indices().nth(SHOWN) {
        None => output.to_owned(),
        Some((end, _)) => format!(
            "{}\n... [OUTPUT TRUNCATED: {} chars total, showing first {SHOWN} chars] ...",
            &output[..end],
            output.chars().count()
        ),
    }
}

/// A section of the screen, within its bounds.
pub(super) fn section(content: &str) -> String {
    let all = content.lines().count();
    let shown = if all > LINES { LINES - 1 } else { all };
    let mut lines: Vec<String> = content.lines().take(shown).map(line).collect();
    if all > shown {
        lines.push(format!("... [{} more lines]", all - shown));
    }
    lines.join("\n")
}

/// A line of the screen, within its width.
pub(super) fn line(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// Whether the screen shows only the beginning of a line.
pub(super) fn is_cut(line: &str) -> bool {
    line.chars().nth(WIDTH).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_is_cut_and_says_its_true_length() {
        let long = "ä".repeat(SHOWN + 5);
        let said = cut(&long);
        assert!(
            said.ends_with(
                "... [OUTPUT TRUNCATED: 10005 chars total, showing first 10000 chars] ..."
            )
        );
        assert_eq!(said.matches('ä').count(), SHOWN);
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn the_last_bytes_are_kept() {
        let mut tail = Tail::default();
        tail.push(&vec![b'a'; KEPT]);
        tail.push(b"end");
        let text = tail.take();
        assert!(text.starts_with("[the first 3 bytes are not kept]\naaa"));
        assert!(text.ends_with("aend"));
        assert_eq!(tail.take(), "");
    }

    #[test]
    fn binary_output_is_named_and_not_shown() {
        let mut tail = Tail::default();
        tail.push(b"\x7fELF\0\0");
        assert_eq!(tail.take(), "[binary output, 6 bytes: redirect it into a file]\n");
    }

    #[test]
    fn a_section_has_fifty_lines() {
        let long = "x\n".repeat(80);
        assert_eq!(section(&long).lines().count(), LINES);
        assert!(section(&long).ends_with("... [31 more lines]"));
        assert_eq!(line(&"x".repeat(300)).len(), WIDTH + 3);
    }
}
