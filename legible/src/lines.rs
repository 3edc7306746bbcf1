//! Lines that fit on any terminal.

use unicode_width::UnicodeWidthStr;

/// The longest line, in columns.
const WIDTH: usize = 72;

/// What the rest of a longer one begins with.
const CONTINUED: &str = "    | ";

/// `line` as [`line()`] shows it, cut into lines that fit on any terminal: what is left of one is marked, and no more than one
/// space follows another thing, so that nothing in it can be made to stand like a line of its own.
#[must_use]
pub fn lines(line: &str) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut lines = vec![" ".repeat(indent)];
    let mut before = None;
    for c in crate::line(&line[indent..]).chars() {
        let piece = match c {
            ' ' if before == Some(' ') => "\\u{20}".to_owned(),
            c => c.to_string(),
        };
        before = Some(c);
        let is_full = lines.last().is_some_and(|line| line.width() + piece.width() > WIDTH);
        if is_full {
            lines.push(CONTINUED.to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&piece);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_line_stands_like_a_line_of_its_own() {
        let hostile = format!("  \"text\": \"a{}digest 000\u{202e}\"", " ".repeat(200));
        let cut = lines(&hostile);
        assert!(cut.len() > 5);
        assert!(cut.iter().all(|line| line.len() <= WIDTH && line.starts_with("  ")), "{cut:?}");
        assert!(cut.iter().all(|line| !line.trim_start().contains("  ")), "{cut:?}");
        assert!(cut.concat().contains("\\u{202e}"));
        assert_eq!(lines("  \"a\": \"b c\""), ["  \"a\": \"b c\""]);
        assert_eq!(lines("\"a\": \"Grüße, 你好\""), ["\"a\": \"Grüße, 你好\""]);
        assert!(lines(&"你".repeat(100)).iter().all(|line| line.width() <= WIDTH));
    }
}
