//! How a word of prose looks on a terminal: marks are dimmed, what they mark stands out, and an address is a link.
//!
//! Each word turns on what it needs and off again, so that a line can be interrupted behind any of them.

/// Turn dim on, bold on, both off, and a colour on and off (ECMA-48, SGR).
pub(crate) const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
pub(crate) const BRIGHT: &str = "\x1b[22m";
const CODE: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[39m";

/// What stands around the address of a link, and behind the link (OSC 8).
const LINK: &str = "\x1b]8;;";
const END: &str = "\x1b\\";

/// The longest address of a link that terminals take, in bytes (VTE).
const LONGEST_LINK: usize = 2_083;

/// What begins an address that can be opened.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// The style of the line that is shown.
#[derive(Debug, Default)]
pub(crate) struct Style {
    is_heading: bool,
    /// Whether two stars were opened and not closed.
    is_strong: bool,
    /// What stands before the next word, if that is not space.
    before: Option<char>,
}

impl Style {
    /// A line of its own begins.
    pub(crate) fn begin_line(&mut self) {
        *self = Self::default();
    }

    /// There is space before the next word.
    pub(crate) fn space(&mut self) {
        self.before = None;
    }

    /// The line is a heading, whose marks these are.
    pub(crate) fn heading(&mut self, marks: &str, shown: &mut String) {
        self.is_heading = true;
        push_dim(marks, shown);
    }

    /// Shows a word, or a part of one. A lone star is no mark.
    pub(crate) fn show(&mut self, word: &str, shown: &mut String) {
        let mut rest = word;
        while !rest.is_empty() {
            let at = next_mark(rest);
            let (text, from) = rest.split_at(at);
            self.text(text, shown);
            rest = match from.chars().next() {
                None => from,
                Some('`') => self.code(from, shown),
                Some('*') => self.stars(from, shown),
                Some(_) => self.link(from, shown),
            };
        }
    }

    fn text(&mut self, text: &str, shown: &mut String) {
        let Some(last) = text.chars().next_back() else { return };
        self.before = Some(last);
        if self.is_heading || self.is_strong {
            shown.extend([BOLD, text, BRIGHT]);
        } else {
            shown.push_str(text);
        }
    }

    /// Backticks, and the code between them if they are closed.
    fn code<'a>(&mut self, from: &'a str, shown: &mut String) -> &'a str {
        let (marks, behind) = run(from, '`');
        push_dim(marks, shown);
        self.before = Some('`');
        let Some(end) = closing(behind, marks) else { return behind };
        let (code, from) = behind.split_at(end);
        shown.extend([CODE, code, PLAIN]);
        push_dim(marks, shown);
        &from[marks.len()..]
    }

    fn stars<'a>(&mut self, from: &'a str, shown: &mut String) -> &'a str {
        let (marks, behind) = run(from, '*');
        if marks == "*" {
            self.text(marks, shown);
            return behind;
        }
        push_dim(marks, shown);
        let opens = !behind.is_empty() && !self.before.is_some_and(char::is_alphanumeric);
        let closes = self.is_strong && self.before.is_some();
        self.is_strong = !closes && (self.is_strong || opens);
        self.before = Some('*');
        behind
    }

    fn link<'a>(&mut self, from: &'a str, shown: &mut String) -> &'a str {
        let (address, behind) = from.split_at(address(from));
        if address.len() > LONGEST_LINK {
            self.text(address, shown);
            return behind;
        }
        shown.extend([LINK, address, END]);
        self.text(address, shown);
        shown.extend([LINK, END]);
        behind
    }
}

pub(crate) fn push_dim(marks: &str, shown: &mut String) {
    shown.extend([DIM, marks, BRIGHT]);
}

/// Whether a word may be an address, or become one with what follows.
pub(crate) fn may_be_address(word: &str) -> bool {
    let begins = |scheme: &str| (1..scheme.len()).any(|end| word.ends_with(&scheme[..end]));
    SCHEMES.iter().any(|scheme| word.contains(scheme) || begins(scheme))
}

/// Where the next mark or address begins; the end where there is none.
fn next_mark(text: &str) -> usize {
    let marks = text.find(['*', '`']);
    let addresses = SCHEMES.iter().filter_map(|scheme| text.find(scheme));
    let is_one = |at: &usize| address(&text[*at..]) > 0;
    addresses.filter(is_one).chain(marks).min().unwrap_or(text.len())
}

/// How long the address is that `text` begins with, in bytes: without what ends a sentence or a bracket behind it; 0 where
/// nothing stands behind its scheme.
fn address(text: &str) -> usize {
    let is_part =
        |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '|' | '\\');
    let whole = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let ends = [')', ']', '}', '.', ',', ';', ':', '!', '?', '\'', '*', '_'];
    let address = text[..whole].trim_end_matches(ends);
    let scheme = SCHEMES.iter().find(|scheme| address.starts_with(**scheme));
    scheme.filter(|scheme| address.len() > scheme.len()).map_or(0, |_| address.len())
}

/// The marks at the beginning, and what follows.
fn run(text: &str, mark: char) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(mark).len())
}

/// Where as many backticks stand as `marks` has, and no more.
fn closing(text: &str, marks: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find('`') {
        let (ticks, _) = run(&text[from + at..], '`');
        if ticks == marks {
            return Some(from + at);
        }
        from += at + ticks.len();
    }
    None
}

/// Whether `word` ends within code between backticks; its spaces are part of it.
pub(crate) fn opens_code(word: &str) -> bool {
    let mut rest = word;
    while let Some(at) = rest.find('`') {
        let (marks, behind) = run(&rest[at..], '`');
        let Some(end) = closing(behind, marks) else { return true };
        rest = &behind[end + marks.len()..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &[&str]) -> String {
        let (mut style, mut shown) = (Style::default(), String::new());
        for word in words {
            style.show(word, &mut shown);
            style.space();
            shown.push(' ');
        }
        shown.trim_end().to_owned()
    }

    #[test]
    fn what_stands_between_two_stars_is_bold_to_the_second_ones() {
        assert_eq!(
            shown(&["**It", "is**", "so"]),
            "\x1b[2m**\x1b[22m\x1b[1mIt\x1b[22m \x1b[1mis\x1b[22m\x1b[2m**\x1b[22m so"
        );
        for plain in ["2**10", "a * b", "*one*"] {
            assert!(!shown(&[plain, "x"]).contains(BOLD), "{plain}");
        }
    }

    #[test]
    fn closed_code_has_a_colour() {
        assert_eq!(shown(&["`ls -l`."]), "\x1b[2m`\x1b[22m\x1b[36mls -l\x1b[39m\x1b[2m`\x1b[22m.");
        assert!(shown(&["`**x**`"]).contains("\x1b[36m**x**\x1b[39m"), "no marks within it");
        assert!(!shown(&["`open"]).contains(CODE));
    }

    #[test]
    fn an_address_is_a_link_to_itself_without_what_stands_around_it() {
        let link = |address: &str| format!("{LINK}{address}{END}{address}{LINK}{END}");
        assert_eq!(
            shown(&["https://a.example/b?c=d."]),
            format!("{}.", link("https://a.example/b?c=d"))
        );
        assert_eq!(
            shown(&["[page](http://a.example)"]),
            format!("[page]({})", link("http://a.example"))
        );
        for none in ["https://", "http://.", "ftp://a.example", "https://ä.example"] {
            assert!(!shown(&[none]).contains(LINK), "{none}");
        }
        let long = format!("https://{}", "a".repeat(LONGEST_LINK));
        assert_eq!(shown(&[&long]), long);
    }

    #[test]
    fn an_address_that_has_only_begun_is_waited_for() {
        for begun in ["h", "(http", "https:/", "https://a.b"] {
            assert!(may_be_address(begun), "{begun}");
        }
        for other in ["word", "hello", ""] {
            assert!(!may_be_address(other), "{other}");
        }
    }
}
