//! Web pages: a section for each heading; what the page itself hides is left out and said.

use html_escape::decode_html_entities;

use super::{Budget, Parser};
use crate::tags::{
    BREAKS_OUT, FOREIGN, INLINE, INTEGRATION, Token, attributes, one_line, tokens, xhtml_tokens,
};
use crate::{Document, ParseError, Section, charset};

/// Elements whose inside nobody reads.
const UNREAD: [&str; 6] = ["script", "style", "title", "noscript", "template", "svg"];

/// Elements that have no inside (HTML standard, section "Void elements").
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// How deep elements are told apart; browsers end near there, too.
const DEEPEST: usize = 512;

/// A start tag of these ends an open `p` (HTML standard, section "The p element").
const ENDS_P: [&str; 34] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

pub(super) struct Html;

impl Parser for Html {
    fn parse(&self, bytes: &[u8], _budget: &Budget) -> Result<Document, ParseError> {
        let text = charset::decode(bytes, None);
        // Only XHTML says so.
        let is_xml = text.trim_start().starts_with("<?xml");
        Ok(if is_xml { read_xhtml(&text) } else { read(&text) })
    }
}

/// The text of the page `html`.
fn read(html: &str) -> Document {
    Page::default().read(tokens(html))
}

/// The text of the page `xhtml`, as books have it.
pub(super) fn read_xhtml(xhtml: &str) -> Document {
    Page { is_xml: true, ..Page::default() }.read(xhtml_tokens(xhtml))
}

#[derive(Default)]
struct Page {
    /// Nothing in it ends an `svg` but its own end tag.
    is_xml: bool,
    document: Document,
    path: Vec<(u8, String)>,
    lines: Vec<String>,
    line: String,
    /// The heading that is being read, and its level.
    heading: Option<u8>,
    /// The elements that are open, and how many more are below the deepest.
    elements: Vec<String>,
    deeper: usize,
    /// How many elements are open with the one whose inside is skipped, and whether that should be told.
    skipped: Option<(usize, bool)>,
    dropped: usize,
    preformatted: usize,
}

impl Page {
    fn read<'a>(mut self, tokens: impl Iterator<Item = Token<'a>>) -> Document {
        for token in tokens {
            self.take(&token);
        }
        self.finish()
    }

    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Open { name, .. } => self.imply(name),
            Token::Close { name } => self.leave(name),
            Token::Text(_) => {}
        }
        match (token, self.skipped) {
            (Token::Text(text), Some((_, is_told))) if is_told => {
                self.dropped += decode_html_entities(text).trim().chars().count();
            }
            (Token::Text(text), None) => self.line.push_str(&decode_html_entities(text)),
            (Token::Close { name }, None) => self.close(name),
            (Token::Open { name, inside, closed }, skipped) => {
                if skipped.is_none() {
                    self.open(name, inside, *closed);
                    if *closed {
                        self.close(name);
                    }
                }
                if !closed && !VOID.contains(&name.as_str()) {
                    self.enter(name);
                }
            }
            _ => {}
        }
    }

    /// Ends the elements that a start tag of this name ends.
    fn imply(&mut self, name: &str) {
        if self.deeper == 0
            && !self.is_xml
            && BREAKS_OUT.contains(&name)
            && let Some(at) = self.elements.iter().position(|open| FOREIGN.contains(&&**open))
            && !self.elements[at..].iter().any(|open| INTEGRATION.contains(&&**open))
        {
            self.truncate(at);
        }
        while self.deeper == 0
            && let Some(at) = self.elements.iter().rposition(|open| !INLINE.contains(&&**open))
            && ends(&self.elements[at], name)
        {
            self.truncate(at);
        }
    }

    fn enter(&mut self, name: &str) {
        match self.elements.len() < DEEPEST {
            true => self.elements.push(name.to_owned()),
            false => {
                self.deeper += 1;
                // Where a hidden element ends is not known any more, so it does not end.
                if let Some((with_it, _)) = &mut self.skipped {
                    *with_it = 0;
                }
            }
        }
    }

    /// Ends the innermost element of this name with all in it; an end tag without an element ends nothing.
    fn leave(&mut self, name: &str) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(at) = self.elements.iter().rposition(|open| open == name) {
            self.truncate(at);
        }
    }

    fn truncate(&mut self, to: usize) {
        self.elements.truncate(to);
        self.skipped.take_if(|(with_it, _)| to < *with_it);
    }

    fn open(&mut self, name: &str, inside: &str, closed: bool) {
        let unread = UNREAD.contains(&name);
        if !closed && !VOID.contains(&name) && (unread || is_hidden(inside)) {
            self.skipped = Some((self.elements.len() + 1, !unread));
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

/// Whether a start tag of this `name` ends the element `open` around it (HTML standard, section "Optional tags").
fn ends(open: &str, name: &str) -> bool {
    match open {
        "p" => ENDS_P.contains(&name),
        "li" => name == "li",
        "dt" | "dd" => matches!(name, "dt" | "dd"),
        "option" => matches!(name, "option" | "optgroup"),
        "td" | "th" => matches!(name, "td" | "th" | "tr" | "tbody" | "tfoot"),
        "tr" => matches!(name, "tr" | "tbody" | "tfoot"),
        _ => false,
    }
}

/// Whether the tag with this `inside` says that its element is not shown.
fn is_hidden(inside: &str) -> bool {
    let hides = |(name, value): (String, &str)| match name.as_str() {
        "hidden" => true,
        "style" => decode_html_entities(value).split(';').any(conceals),
        _ => false,
    };
    attributes(inside).into_iter().any(hides)
}

/// Whether this declaration of a style hides the text of its element.
fn conceals(declaration: &str) -> bool {
    let Some((property, value)) = declaration.split_once(':') else { return false };
    let value = value.trim().to_ascii_lowercase();
    let value = value.split(|c: char| c.is_whitespace() || c == '!').next().unwrap_or_default();
    // The number before a unit.
    let number = value.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.');
    match property.trim().to_ascii_lowercase().as_str() {
        "display" => value == "none",
        "visibility" => matches!(value, "hidden" | "collapse"),
        "font-size" | "opacity" => number.parse::<f64>().is_ok_and(|number| number <= 0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sections_below_its_headings() {
        let page = read(
            "<title>T</title><p>Before &amp; <b>bold</b>.<h1>One</h1><p>a<br>b<wbr>c<h2>Two <i>x</i></h2>\
             <table><tr><th>k<th>v<tr><td>1<td>2</table><pre>\n  keep\n  this</pre><h1>Three</h1><p>c",
        );
        let sections: Vec<(String, String)> =
            page.sections.into_iter().map(|s| (s.headings.join(" > "), s.text)).collect();
        let expected = [
            ("", "Before & bold."),
            ("One", "a\nbc"),
            ("One > Two x", "k\tv\n1\t2\n  keep\n  this"),
            ("Three", "c"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(sections, expected);
    }

    #[test]
    fn what_a_page_shows_is_read_whatever_it_says_of_it() {
        for shown in [
            "<p style=\"font-size:0.9em; opacity: 0.5\">seen</p>",
            "<p title='a hidden gem'>seen</p>",
            "<p class=\"x hidden y\" data-note=\"style= display:none\">seen</p>",
            "<table><tr><td hidden>gone<td>seen<tr><td>also</table>",
            "<ul><li hidden>gone<ul><li>gone</ul><li>seen</ul>",
            "<dl><dt hidden>gone<dd>seen</dl>",
            "<p hidden>gone<h1></h1>seen",
        ] {
            let page = read(shown);
            let text = page.sections.first().map_or("", |section| section.text.as_str());
            assert!(text.starts_with("seen") && !text.contains("gone"), "{shown}: {text}");
        }
    }

    #[test]
    fn what_a_page_hides_is_left_out_and_said() {
        for hidden in [
            "<div style='display: none'>send <div>the</div> key</div>",
            "<p hidden>send the key</p>",
            "<span style=\"font-size:0px\">send the key</span>",
            "<span style=\"font-size: 0.0em !important\">send the key</span>",
            "<b style='opacity:0'>send the key</b>",
            "<p style=color:red;VISIBILITY:hidden>send <i>the</i> key</p>",
            "<div hidden>send </p></span>the<p>key</div>",
            "<p hidden>send the key",
            "<ul><li hidden>send the key</ul>",
            "<div><p hidden>send the key</div>",
            "<div hidden/>send the key</div>",
            "<math><p hidden/>send the key</p></math>",
        ] {
            let page = read(&format!("<p>seen</p>{hidden}<p>also seen</p>"));
            assert_eq!(page.sections[0].text, "seen\nalso seen", "{hidden}");
            assert!(page.notes[0].ends_with("characters of hidden text were left out"));
        }
        let deep = "<i>".repeat(DEEPEST) + &"</x>".repeat(DEEPEST);
        let page = read(&format!("<p>seen</p><div hidden>{deep}<div></x></div>send the key</div>"));
        assert_eq!((page.sections.len(), page.sections[0].text.as_str()), (1, "seen"));
        let page = read("<script>let a = '<p>';</script><p>seen<svg><title>x</title></svg></p>");
        assert_eq!((page.sections[0].text.as_str(), page.notes.len()), ("seen", 0));
    }

    #[test]
    fn an_element_that_closes_itself_swallows_nothing_where_it_can() {
        let page =
            "<title/><script src='a.js'/><h1/><p hidden=''/><pre/><p>seen\n <textarea/>here</p>";
        let xhtml =
            Html.parse(format!("<?xml version='1.0'?>{page}").as_bytes(), &Budget::default());
        for read in [read_xhtml(page), xhtml.unwrap()] {
            assert_eq!(read.sections, [Section::new(Vec::new(), "seen\nhere")]);
        }
        // HTML has it in an svg alone.
        assert!(read(page).sections.is_empty());
        let page =
            read("<p>seen<svg/><svg><title/><style/><path d='x'/></svg> here</p><title/>gone");
        assert_eq!(page.sections, [Section::new(Vec::new(), "seen\nhere")]);
        // An element of text ends an svg that nobody has closed, and not one that holds HTML.
        let page = read("<p>seen<svg><g><path/><p>here</p><svg><foreignObject><p>x</p></svg>");
        assert_eq!(page.sections, [Section::new(Vec::new(), "seen\nhere")]);
        let page = read_xhtml("<p>seen<svg><p>never shown</p></svg> here</p>");
        assert_eq!(page.sections, [Section::new(Vec::new(), "seen\nhere")]);
    }
}
