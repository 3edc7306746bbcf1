//! Characters that a terminal acts on or that hide themselves are written as escapes, so that a row on a
//! screen is what it looks like.

use std::fmt::Write;

/// Whether `c` is a control character, sets the direction of text, or can't be seen.
fn hides(c: char) -> bool {
    c.is_control()
        || legible::is_unseen(c)
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
}

/// A JSON text that means the same, with those characters as `\uXXXX`. They stand in strings alone, for
/// outside of them a JSON text has none.
pub fn json(text: String) -> String {
    if !text.chars().any(hides) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 32);
    for c in text.chars() {
        if hides(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String can't fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// A text for people, on one line.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_escaped_and_means_the_same() {
        let text = "a\u{1b}[2J \u{7f} \u{9b} \u{202e}b\u{200b} \u{e0041} \u{2028} ü 日 \"\\";
        let value = serde_json::json!({ "t": text });
        let escaped = json(value.to_string());
        assert!(!escaped.chars().any(hides), "{escaped:?}");
        assert!(escaped.contains("ü 日") && escaped.contains("\\udb40\\udc41"), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
        assert!(!visible(text).chars().any(hides));
    }
}
