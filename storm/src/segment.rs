//! The pieces that files of AIStorm are made of: a tag `<aistorm name="value" ... />` on a line of its own, and what
//! stands between it and the next.
//!
//! A tag counts only at the beginning of a line, whole and alone on it; anything else is text. What stands
//! before the first tag belongs to nobody.

use std::fmt;

use crate::escape::TAG;

/// The properties of a tag, in their order. One that is set again is exchanged where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties(Vec<(String, String)>);

impl Properties {
    /// The value of a property; letter case in names does not count.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Sets a property.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// The same with a property.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.set(name, value);
        self
    }

    /// All of them in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The tag, as AIStorm writes it.
impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TAG)?;
        for (name, value) in self.iter() {
            write!(f, " {name}=\"{}\"", in_quotes(value))?;
        }
        f.write_str(" />")
    }
}

/// One piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment<'t> {
    /// What its tag says.
    pub properties: Properties,
    /// What stands below the tag, up to the next one, as it stands there.
    pub content: &'t str,
    /// Both, as they stand in the file.
    pub raw: &'t str,
    /// The number of the tag's line, from 1 on.
    pub line: usize,
    /// What ends the line of the tag, and is taken for the end of a line in this piece.
    pub(crate) newline: &'static str,
    /// Whether no other piece follows.
    is_last: bool,
}

impl<'t> Segment<'t> {
    /// The pieces of a file, in their order.
    #[must_use]
    pub fn all(text: &'t str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut starts = Vec::new();
        for (number, whole) in text[at..].split_inclusive('\n').enumerate() {
            if let Some(properties) = tag(whole) {
                let newline = if whole.ends_with("\r\n") { "\r\n" } else { "\n" };
                starts.push(at);
                let (content, raw) = (&text[at + whole.len()..], &text[at..]);
                let line = number + 1;
                found.push(Self { properties, content, raw, line, newline, is_last: true });
            }
            at += whole.len();
        }
        for (segment, next) in found.iter_mut().zip(starts.iter().skip(1)) {
            let behind = text.len() - next;
            segment.content = &segment.content[..segment.content.len() - behind];
            segment.raw = &segment.raw[..segment.raw.len() - behind];
            segment.is_last = false;
        }
        found
    }

    /// What its `type` says, if it says one.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.properties.get("type")
    }

    /// The text that was written below the tag: without the blank line between them, without the end of its own
    /// last line, and without the blank line before the next tag.
    pub(crate) fn text(&self) -> &'t str {
        let text = self.after_newlines(self.content, 1);
        let ends = if self.is_last { 1 } else { 2 };
        (0..ends).fold(text, |text, _| text.strip_suffix(self.newline).unwrap_or(text))
    }

    /// `text` without so many ends of lines at its beginning, as far as they are there.
    pub(crate) fn after_newlines(&self, text: &'t str, count: usize) -> &'t str {
        (0..count).fold(text, |text, _| text.strip_prefix(self.newline).unwrap_or(text))
    }
}

/// The properties of a line that is a tag of ours.
fn tag(line: &str) -> Option<Properties> {
    let inside = line.strip_prefix(TAG)?.trim_end().strip_suffix("/>")?;
    if !inside.is_empty() && !inside.starts_with([' ', '\t']) {
        return None;
    }
    let mut properties = Properties::default();
    let mut rest = inside.trim_start();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('=')?;
        let name = name.trim_end();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let (value, behind) = behind.trim_start().strip_prefix('"')?.split_once('"')?;
        properties.set(name, out_of_quotes(value));
        rest = behind.trim_start();
    }
    Some(properties)
}

/// The characters that a value may not hold as they are, and what stands for them.
const ENTITIES: [(&str, &str); 6] = [
    ("&amp;", "&"),
    ("&quot;", "\""),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&#10;", "\n"),
    ("&#13;", "\r"),
];

fn in_quotes(value: &str) -> String {
    // The & comes first, so that no other is escaped twice.
    ENTITIES.iter().fold(value.to_owned(), |value, (entity, plain)| value.replace(plain, entity))
}

fn out_of_quotes(value: &str) -> String {
    ENTITIES
        .iter()
        .rev()
        .fold(value.to_owned(), |value, (entity, plain)| value.replace(entity, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_at_its_tags() {
        let text =
            "before\n<aistorm b=\"2\" a=\"1\" b=\"3\" />\n\none\n\ntwo\n\n<aistorm/>\n\nlast\n";
        let all = Segment::all(text);
        let seen: Vec<_> =
            all.iter().map(|s| (s.properties.to_string(), s.text(), s.line)).collect();
        let expected = [
            ("<aistorm b=\"3\" a=\"1\" />".to_owned(), "one\n\ntwo", 2),
            ("<aistorm />".to_owned(), "last", 8),
        ];
        assert_eq!(seen, expected);
        assert_eq!(format!("before\n{}{}", all[0].raw, all[1].raw), text);
    }

    #[test]
    fn only_a_whole_tag_alone_on_its_line_counts() {
        for text in [
            "see <aistorm />",
            " <aistorm />",
            "<aistorm /> and more",
            "<aistormy />",
            "<aistorm type=message />",
            "<aistorm type=\"message\">",
            "<aistorm type=\"message />",
            "<aistorm =\"x\" />",
            "&lt;aistorm />",
            "",
        ] {
            assert_eq!(Segment::all(text), [], "{text}");
        }
    }

    #[test]
    fn values_hold_any_character() {
        let value = "a \"b\" & <c> 'd' &quot; \n\r é";
        let tag = Properties::default().with("from", value).to_string();
        assert_eq!(tag.lines().count(), 1);
        assert_eq!(Segment::all(&tag)[0].properties.get("FROM"), Some(value));
    }

    #[test]
    fn a_file_of_another_system_ends_its_lines_otherwise() {
        let text = "\u{feff}<aistorm />\r\n\r\none\r\n\r\n<aistorm x=\"1\"/>\r\n\r\ntwo\r\n";
        let texts: Vec<_> = Segment::all(text).iter().map(Segment::text).collect();
        assert_eq!(texts, ["one", "two"]);
    }
}
