//! What a message wants, and what it hands on, such as the text of a post: what stands in quotes, or behind a colon.

use super::words::words;

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// Its words, without the quotes or the colon.
    pub(super) text: &'a str,
    /// Whether it is handed on.
    pub(super) is_handed: bool,
}

/// The parts of a message, in its order. What stands behind a colon is handed on to its end, quotes and all, unless it begins
/// with a quotation: `post on X: "Hi" and read ...`.
pub(super) fn pieces(message: &str) -> Vec<Piece<'_>> {
    let own = |text| Piece { text, is_handed: false };
    let handed = |text| Piece { text, is_handed: true };
    let (mut pieces, mut rest) = (Vec::new(), message);
    let mut quotes = Quotes::default();
    loop {
        let quoted = quotes.first(rest);
        let before = quoted.as_ref().map_or(rest.len(), |quoted| quoted.start);
        match (end_of_head(rest, before), quoted) {
            (Some((end, begin)), quoted) => {
                pieces.push(own(&rest[..end]));
                rest = &rest[begin..];
                if quoted.is_none_or(|quoted| !rest[..quoted.start - begin].trim().is_empty()) {
                    pieces.push(handed(rest));
                    return pieces;
                }
            }
            (None, Some(Quoted { start, text, end })) => {
                pieces.extend([own(&rest[..start]), handed(text)]);
                rest = &rest[end..];
            }
            (None, None) => {
                pieces.push(own(rest));
                return pieces;
            }
        }
    }
}

/// A message without what it hands on. The whole of it if nothing else is left.
pub(super) fn wish(message: &str) -> String {
    let own = pieces(message).into_iter().filter(|piece| !piece.is_handed);
    let wish = own.map(|piece| piece.text).collect::<Vec<_>>().join(" ");
    if words(&wish).is_empty() { message.to_owned() } else { wish }
}

/// Whether a message hands something on.
pub(super) fn hands_on(message: &str) -> bool {
    pieces(message).iter().any(|piece| piece.is_handed)
}

/// Whether a message ends with a question mark.
pub(super) fn is_asking(message: &str) -> bool {
    message.trim_end().ends_with(['?', '？'])
}

/// Where the colon is behind which something else begins, and its end, among the first `before` bytes; that of an address or
/// a time is none.
fn end_of_head(text: &str, before: usize) -> Option<(usize, usize)> {
    text[..before].char_indices().find_map(|(at, c)| {
        let end = at + c.len_utf8();
        let begins = |next: char| next.is_whitespace() || !next.is_ascii() || opens(next);
        let is_end = c == '：' || (c == ':' && text[end..].chars().next().is_some_and(begins));
        is_end.then_some((at, end))
    })
}

/// What opens a quotation, and what closes it.
const QUOTES: [(char, char); 10] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('‘', '’'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
    ('『', '』'),
];

fn opens(c: char) -> bool {
    QUOTES.iter().any(|(open, _)| *open == c)
}

/// Finds quotations, from the front to the end of a text.
#[derive(Default)]
struct Quotes {
    /// Which of them nothing closes from here on, so that each end is looked for once.
    open: [bool; QUOTES.len()],
}

/// Some text within quotes.
struct Quoted<'a> {
    /// Where the quote that opens it begins, in bytes.
    start: usize,
    text: &'a str,
    /// Where the quote that closes it ends.
    end: usize,
}

impl Quotes {
    fn first<'a>(&mut self, text: &'a str) -> Option<Quoted<'a>> {
        let mut before = ' ';
        text.char_indices().find_map(|(start, first)| {
            // `it's`, 5"
            let is_in_word = before.is_alphanumeric() && first.is_ascii();
            before = first;
            (opens(first) && !is_in_word).then(|| self.quoted(text, start, first)).flatten()
        })
    }

    fn quoted<'a>(&mut self, text: &'a str, start: usize, first: char) -> Option<Quoted<'a>> {
        let inside = start + first.len_utf8();
        let mut nearest: Option<(usize, char)> = None;
        for ((_, close), is_open) in
            QUOTES.iter().zip(&mut self.open).filter(|((open, _), _)| *open == first)
        {
            if !*is_open {
                let found = end_of_quotation(&text[inside..], *close).map(|at| (at, *close));
                *is_open = found.is_none();
                nearest = nearest.into_iter().chain(found).min();
            }
        }
        let (length, close) = nearest?;
        let text = &text[inside..inside + length];
        Some(Quoted { start, text, end: inside + length + close.len_utf8() })
    }
}

/// The first quote that closes; the one in `it's` is none.
fn end_of_quotation(text: &str, close: char) -> Option<usize> {
    let is_end = |at: &usize| {
        let next = text[at + close.len_utf8()..].chars().next();
        !matches!(close, '\'' | '"' | '’') || !next.is_some_and(char::is_alphanumeric)
    };
    text.match_indices(close).map(|(at, _)| at).find(is_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_on_is_no_wish() {
        for (message, left) in [
            ("Post 'bread and butter' on X", "Post   on X"),
            ("Toot: the garden is in bloom", "Toot"),
            ("don't forget: it's 42", "don't forget"),
            ("at 10:30 read https://example.com/a", "at 10:30 read https://example.com/a"),
            (
                "\u{5728}X\u{4e0a}\u{53d1}\u{5e03}:\u{4f60}\u{597d}",
                "\u{5728}X\u{4e0a}\u{53d1}\u{5e03}",
            ),
            ("'all of it'", "'all of it'"),
            ("it's an open 'quote", "it's an open 'quote"),
            ("Post 'It's raining, isn't it' on X", "Post   on X"),
            ("'90s hits, it's time", "'90s hits, it's time"),
            ("„Guten Tag” auf X und »hallo« dort", "  auf X und   dort"),
            (
                "\u{5728} X \u{4e0a}\u{53d1}\u{5e03}「\u{4f60}\u{597d}」",
                "\u{5728} X \u{4e0a}\u{53d1}\u{5e03} ",
            ),
            ("Post on X: 'Hi' and read a.example", "Post on X    and read a.example"),
        ] {
            assert_eq!(wish(message), left, "{message}");
        }
    }

    #[test]
    fn each_piece_stands_for_itself() {
        let shown = |message| {
            let mark = |piece: &Piece<'_>| if piece.is_handed { "+" } else { "-" };
            let shown = |piece: &Piece<'_>| format!("{}{}", mark(piece), piece.text);
            pieces(message).iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(shown("Toot: it's 'so' warm"), ["-Toot", "+ it's 'so' warm"]);
        assert_eq!(shown("Post “a: b” on X"), ["-Post ", "+a: b", "- on X"]);
        assert_eq!(shown("X: new song \"Rise\" is out"), ["-X", "+ new song \"Rise\" is out"]);
        assert_eq!(shown("X:'a' and 'b'"), ["-X", "-", "+a", "- and ", "+b", "-"]);
        assert_eq!(shown(""), ["-"]);
        assert!(hands_on("Post 'a'") && hands_on("Post: a") && !hands_on("at 10:30, Bob's post"));
    }
}
