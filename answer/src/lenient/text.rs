//! Texts between quotation marks of any kind.

use super::Reader;

/// What Python writes around texts of several lines.
const TRIPLE: [&str; 2] = ["\"\"\"", "'''"];

/// How far it is looked ahead for what stands behind a single quotation mark, in bytes.
const AHEAD: usize = 256;

/// Which marks end a text that begins with `open`; `None` if no text begins with it.
pub(super) fn ends_text(open: char) -> Option<&'static [char]> {
    Some(match open {
        '"' => &['"'],
        '\'' => &['\''],
        '“' | '„' => &['”', '“'],
        '‘' => &['’'],
        _ => return None,
    })
}

impl Reader<'_> {
    /// The text that begins here, with its quotation marks.
    pub(super) fn text(&mut self) -> String {
        if let Some(marks) = TRIPLE.into_iter().find(|marks| self.rest().starts_with(marks)) {
            return self.triple(marks);
        }
        let Some(open) = self.peek() else { return String::new() };
        let ends = ends_text(open).unwrap_or_default();
        self.at += open.len_utf8();
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                _ if ends.contains(&c) && (c != '\'' || self.is_end_of_text()) => return text,
                '\\' => self.escape(&mut text),
                '\n' | '\t' => text.push(c),
                '\r' => {}
                _ if c.is_control() => self.fail("a text holds a control character"),
                _ => text.push(c),
            }
            if self.problem.is_some() {
                return text;
            }
        }
        self.fail("a text has no end");
        text
    }

    /// Whether the single quotation mark just taken ends its text; else it is an apostrophe.
    fn is_end_of_text(&self) -> bool {
        let rest = self.rest();
        let ahead = &rest[..rest.floor_char_boundary(AHEAD)];
        matches!(
            ahead.trim_start().chars().next(),
            None | Some(',' | ':' | '}' | ']' | ')' | '/' | '#')
        )
    }

    fn triple(&mut self, marks: &str) -> String {
        self.at += marks.len();
        let rest = self.rest();
        let Some(end) = rest.find(marks) else {
            self.at = self.text.len();
            self.fail("a text has no end");
            return rest.to_owned();
        };
        self.at += end + marks.len();
        let text = &rest[..end];
        if text.contains('\\') {
            self.fail("a text in three quotation marks holds a backslash; write it as JSON");
        }
        text.to_owned()
    }

    fn escape(&mut self, text: &mut String) {
        let Some(c) = self.peek() else { return self.fail("a text has no end") };
        self.at += c.len_utf8();
        text.push(match c {
            '"' | '\\' | '/' | '\'' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => match self.unicode() {
                Some(c) => c,
                None => return self.fail("a text holds a \\u that means no character"),
            },
            _ => return self.fail("a text holds a backslash that means nothing in JSON"),
        });
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.at += self.rest().starts_with("\\u").then_some(2)?;
        let second = self.unit()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second)
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
