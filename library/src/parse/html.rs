//! Web pages: a section for each heading; what the page itself hides is left out and said.

use html_escape::decode_html_entities;

use super::{Budget, Parser, one_line};
use crate::tags::{INLINE, Token, tokens};
use crate::{Document, ParseError, Section, charset};

/// Elements whose inside nobody reads.
const UNREAD: [&str; 6] = ["script", "style", "title", "noscript", "template", "svg"];

/// Elements that have no inside (HTML standard, section "Void elements").
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

pub(super) struct Html;

impl Parser for Html {
    fn parse(&self, bytes: &[u8], _budget: &Budget) -> Result<Document, ParseError> {
        Ok(read(&charset::decode(bytes, None)))
    }
}

/// The text of the page `html`.
pub(super) fn read(html: &str) -> Document {
    let mut page = Page::default();
    for token in tokens(html) {
        page.take(&token);
    }
    page.finish()
}

#[derive(Default)]
struct Page {
    document: Document,
    path: Vec<(u8, String)>,
    lines: Vec<String>,
    line: String,
    /// The heading that is being read, and its level.
    heading: Option<u8>,
    /// The element whose inside is skipped, how often it is open, and whether it should be told.
    skipped: Option<(String, usize, bool)>,
    dropped: usize,
    preformatted: usize,
}

impl Page {
    fn take(&mut self, token: &Token<'_>) {
        if self.skip(token) {
            return;
        }
        match token {
            Token::Open { name, inside, closed } => self.open(name, inside, *closed),
            Token::Close { name } => self.close(name),
            Token::Text(text) => self.line.push_str(&decode_html_entities(text)),
        }
    }

    /// Whether `token` belongs to an element that is not shown.
    fn skip(&mut self, token: &Token<'_>) -> bool {
        let Some((skipped, open, told)) = &mut self.skipped else { return false };
        match token {
            Token::Open { name, closed: false, .. } if name == skipped => *open += 1,
            Token::Close { name } if name == skipped => *open -= 1,
            Token::Text(text) if *told => {
                self.dropped += decode_html_entities(text).trim().chars().count();
            }
            _ => {}
        }
        if *open == 0 {
            self.skipped = None;
        }
        true
    }

    fn open(&mut self, name: &str, inside: &str, closed: bool) {
        let unread = UNREAD.contains(&name);
        if !closed && !VOID.contains(&name) && (unread || is_hidden(inside)) {
            self.skipped = Some((name.to_owned(), 1, !unread));
            return;
        }
        if let Some(level) = level(name) {
            self.end_line();
            self.heading = Some(level);
        } else if matches!(name, "td" | "th") {
            self.line.push('\t');
        } else if !INLINE.contains(&name) {
            self.end_line();
        }
        self.preformatted += usize::from(name == "pre");
    }

    fn close(&mut self, name: &str) {
        if level(name).is_some() {
            self.end_heading();
        } else if !INLINE.contains(&name) && !matches!(name, "td" | "th") {
            self.end_line();
        }
        if name == "pre" {
            self.preformatted = self.preformatted.saturating_sub(1);
        }
    }

    fn end_line(&mut self) {
        if self.heading.is_some() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        if self.preformatted > 0 {
            self.lines.extend(line.trim_matches('\n').lines().map(str::to_owned));
            return;
        }
        let cells = line.split('\t').map(one_line).filter(|cell| !cell.is_empty());
        let line = cells.collect::<Vec<_>>().join("\t");
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    fn end_heading(&mut self) {
        let Some(level) = self.heading.take() else { return self.end_line() };
        let title = one_line(&std::mem::take(&mut self.line));
        if title.is_empty() {
            return;
        }
        self.section();
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, title));
    }

    fn section(&mut self) {
        let text = std::mem::take(&mut self.lines).join("\n");
        if !text.trim().is_empty() {
            let headings = self.path.iter().map(|(_, title)| title.clone()).collect();
            self.document.sections.push(Section::new(headings, text));
        }
    }

    fn finish(mut self) -> Document {
        self.end_heading();
        self.end_line();
        self.section();
        if self.dropped > 0 {
            let note = format!("{} characters of hidden text were left out", self.dropped);
            self.document.notes.push(note);
        }
        self.document
    }
}

fn level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Whether the tag with this `inside` says that its element is not shown.
fn is_hidden(inside: &str) -> bool {
    let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    if attributes.is_empty() || name.is_empty() {
        return false;
    }
    let attributes = attributes.to_ascii_lowercase();
    let bare: String = attributes.chars().filter(|c| !c.is_whitespace()).collect();
    let styled = ["display:none", "visibility:hidden", "font-size:0", "opacity:0;", "opacity:0\""];
    let hidden = attributes
        .split_whitespace()
        .any(|word| word.trim_end_matches('/') == "hidden" || word.starts_with("hidden="));
    hidden || (bare.contains("style=") && styled.iter().any(|style| bare.contains(style)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sections_below_its_headings() {
        let page = read(
            "<title>T</title><p>Before &amp; <b>bold</b>.<h1>One</h1><p>a<br>b<h2>Two <i>x</i></h2>\
             <table><tr><th>k<th>v<tr><td>1<td>2</table><pre>\n  keep\n  this</pre><h1>Three</h1><p>c",
        );
        let sections: Vec<(String, String)> =
            page.sections.into_iter().map(|s| (s.headings.join(" > "), s.text)).collect();
        let expected = [
            ("", "Before & bold."),
            ("One", "a\nb"),
            ("One > Two x", "k\tv\n1\t2\n  keep\n  this"),
            ("Three", "c"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(sections, expected);
    }

    #[test]
    fn what_a_page_hides_is_left_out_and_said() {
        for hidden in [
            "<div style='display: none'>send <div>the</div> key</div>",
            "<p hidden>send the key</p>",
            "<span style=\"font-size:0px\">send the key</span>",
        ] {
            let page = read(&format!("<p>seen</p>{hidden}<p>also seen</p>"));
            assert_eq!(page.sections[0].text, "seen\nalso seen", "{hidden}");
            assert!(page.notes[0].ends_with("characters of hidden text were left out"));
        }
        let page = read("<script>let a = '<p>';</script><p>seen<svg><title>x</title></svg></p>");
        assert_eq!((page.sections[0].text.as_str(), page.notes.len()), ("seen", 0));
    }
}
