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

/// The parts of a message, in its order.
pub(super) fn pieces(message: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut is_behind = false;
    for piece in quoted(message) {
        match end_of_head(piece.text).filter(|_| !piece.is_handed && !is_behind) {
            Some((end, begin)) => {
                is_behind = true;
                pieces.push(Piece { text: &piece.text[..end], is_handed: false });
                pieces.push(Piece { text: &piece.text[begin..], is_handed: true });
            }
            None => pieces.push(Piece { is_handed: piece.is_handed || is_behind, ..piece }),
        }
    }
    pieces
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

/// Where the colon is behind which something else begins, and its end; that of an address or a time is none.
fn end_of_head(text: &str) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, c)| {
        let end = at + c.len_utf8();
        let next = text[end..].chars().next();
        let is_end = c == '：'
            || (c == ':' && next.is_some_and(|next| next.is_whitespace() || !next.is_ascii()));
        is_end.then_some((at, end))
    })
}

/// What opens a quotation, and what closes it.
const QUOTES: [(char, char); 6] =
    [('"', '"'), ('\'', '\''), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];

/// The parts within quotes, and those between.
fn quoted(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let inside = at + first.len_utf8();
        let is_in_word = text[begin..at].ends_with(char::is_alphanumeric);
        let close = QUOTES.iter().find(|(open, _)| *open == first).filter(|_| !is_in_word);
        let Some((length, close)) =
            close.and_then(|(_, close)| Some((text[inside..].find(*close)?, *close)))
        else {
            at = inside;
            continue;
        };
        pieces.push(Piece { text: &text[begin..at], is_handed: false });
        pieces.push(Piece { text: &text[inside..inside + length], is_handed: true });
        begin = inside + length + close.len_utf8();
        at = begin;
    }
    pieces.push(Piece { text: &text[begin..], is_handed: false });
    pieces
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
        assert_eq!(shown("Toot: it's 'so' warm"), ["-Toot", "+ it's ", "+so", "+ warm"]);
        assert_eq!(shown("Post “a: b” on X"), ["-Post ", "+a: b", "- on X"]);
        assert_eq!(shown(""), ["-"]);
        assert!(hands_on("Post 'a'") && hands_on("Post: a") && !hands_on("at 10:30, Bob's post"));
    }
}
