//! How long a text is by the rules of a network, which shorten every link to the same length.

use safeclaw_skill::SkillError;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// What a link counts on X (`transformedURLLength`, see [`weighted`]) and on Mastodon
/// (`characters_reserved_per_url`), however long it is.
const LINK: usize = 23;

/// A text's length beside its limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) counted: usize,
    pub(super) limit: usize,
    /// What is counted, in a person's words.
    pub(super) unit: &'static str,
}

impl Length {
    /// Refuses a text that is over the limit.
    pub(super) fn check(&self, network: &str) -> Result<(), SkillError> {
        let Self { counted, limit, unit } = self;
        if counted <= limit {
            return Ok(());
        }
        let over = counted - limit;
        Err(SkillError::new(format!(
            "the text is too long for {network}: {counted} {unit}, and {limit} are the limit. Shorten it by {over}"
        )))
    }
}

/// The length by X's rules: Latin letters and the like count 1, everything else (CJK, emoji) counts 2, a
/// whole emoji sequence counts 2, a link counts 23, in the composed form of Unicode (NFC).
///
/// From <https://docs.x.com/fundamentals/counting-characters> and the version 3 configuration of
/// <https://github.com/twitter/twitter-text>. A link without `https://` is known there by a list of
/// top-level domains; here it counts as text, and X has the last word.
pub(super) fn weighted(text: &str) -> usize {
    let text: String = text.nfc().collect();
    pieces(&text)
        .map(|piece| match piece {
            Piece::Link => LINK,
            Piece::Text(text) => text.graphemes(true).map(weight).sum(),
        })
        .sum()
}

fn weight(grapheme: &str) -> usize {
    // A pictograph, or anything that the emoji selector or the keycap mark turns into one.
    let emoji = |c: char| matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{FE0F}' | '\u{20E3}');
    if grapheme.contains(emoji) {
        return 2;
    }
    let light = |c: char| matches!(c, '\0'..='\u{10FF}' | '\u{2000}'..='\u{200D}' | '\u{2010}'..='\u{201F}' | '\u{2032}'..='\u{2037}');
    grapheme.chars().map(|c| if light(c) { 1 } else { 2 }).sum()
}

/// The length by Mastodon's rules: what a reader sees as one character counts 1, a link counts 23, and of
/// a mention `@name@server` only `@name` counts. From <https://docs.joinmastodon.org/user/posting/#text>.
pub(super) fn graphemes(text: &str) -> usize {
    pieces(text)
        .map(|piece| match piece {
            Piece::Link => LINK,
            Piece::Text(text) => text
                .split_inclusive(char::is_whitespace)
                .map(|word| word.graphemes(true).count() - hidden(word))
                .sum(),
        })
        .sum()
}

/// How much of a word is the `@server` of a mention.
fn hidden(word: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let word = word.trim_start_matches(['(', '[', '"', '\'']);
    let Some((name, rest)) = word.strip_prefix('@').and_then(|rest| rest.split_once('@')) else {
        return 0;
    };
    let server = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let server = rest[..server].trim_end_matches(['.', '-']).len();
    if name.is_empty() || !name.chars().all(is_name) || server == 0 { 0 } else { server + 1 }
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Link,
    Text(&'a str),
}

/// Splits a text at the http and https links in it.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (start, length) = link(rest).unwrap_or((rest.len(), 0));
        let end = if start == 0 { length } else { start };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(if start == 0 { Piece::Link } else { Piece::Text(piece) })
    })
}

/// Where the first link of `text` begins, and how many bytes it has.
fn link(text: &str) -> Option<(usize, usize)> {
    text.match_indices("://").find_map(|(at, _)| {
        let scheme = ["https", "http"].into_iter().find(|scheme| {
            at.checked_sub(scheme.len())
                .and_then(|start| text.get(start..at))
                .is_some_and(|before| before.eq_ignore_ascii_case(scheme))
        })?;
        let start = at - scheme.len();
        if text[..start].ends_with(|c: char| c.is_alphanumeric()) {
            return None;
        }
        let stops = |c: char| !c.is_ascii_graphic() || "<>\"{}|\\^`".contains(c);
        let host = &text[at + 3..];
        let length = host.find(stops).unwrap_or(host.len());
        // What ends a sentence does not belong to the link before it.
        let length = host[..length].trim_end_matches(|c| ".,:;!?'\")]".contains(c)).len();
        (length > 0).then_some((start, at + 3 + length - start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_counts_by_weight() {
        for (text, expected) in [
            ("Hello World", 11),
            ("Grüße", 5),
            ("e\u{301}", 1),
            ("“quoted” – and…", 16),
            ("日本語", 6),
            ("한국", 4),
            ("👍", 2),
            ("👨‍👩‍👧‍👦", 2),
            ("👍🏽", 2),
            ("🇩🇪", 2),
            ("1️⃣", 2),
            ("❤️", 2),
            ("see https://example.com/a/very/long/path?that=would&be=more#than-23.", 4 + 23 + 1),
            ("HTTP://EXAMPLE.COM", 23),
            ("(https://example.com)", 25),
            ("https://example.comを見て", 23 + 6),
            ("https://a.example https://b.example", 47),
            ("xhttps://a.b ://c http://", 25),
        ] {
            assert_eq!(weighted(text), expected, "{text}");
        }
    }

    #[test]
    fn mastodon_counts_what_a_reader_sees() {
        for (text, expected) in [
            ("Hello World", 11),
            ("日本語", 3),
            ("👨‍👩‍👧‍👦", 1),
            ("e\u{301}", 1),
            ("@frankie@example.social hi", 11),
            ("(@frankie@example.social).", 11),
            ("@a@b. @@ @c", 9),
            ("mail me@example.com", 19),
            ("https://example.com/@me@there, ok", 23 + 4),
        ] {
            assert_eq!(graphemes(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_over_the_limit_is_told_by_how_much() {
        let length = |counted| Length { counted, limit: 280, unit: "characters" };
        assert_eq!(length(280).check("X"), Ok(()));
        assert_eq!(
            length(283).check("X").unwrap_err().to_string(),
            "the text is too long for X: 283 characters, and 280 are the limit. Shorten it by 3"
        );
    }

    #[test]
    fn many_links_are_found_in_linear_time() {
        // Quadratic work would take minutes here.
        assert_eq!(weighted(&"https://a.b ".repeat(20_000)), 24 * 20_000);
        assert_eq!(weighted(&"x://".repeat(100_000)), 400_000);
    }
}
