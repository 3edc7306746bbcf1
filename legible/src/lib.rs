//! Text that a person reads before saying yes: letters of all scripts as they are, and what deceives escaped.
//!
//! Escaped are controls, what is invisible or turns the direction of writing, letters that pose as others in a word of
//! another script, and in an address whatever is not plain ASCII. Which characters nobody sees, all crates ask here.

mod lines;
mod unseen;

pub use lines::lines;
pub use unseen::{is_tag, is_unseen, turns};

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// How many marks may stand on one letter.
const MARKS: usize = 2;

/// `text` on one line.
#[must_use]
pub fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for word in words(text) {
        let is_plain = word.is_ascii() || !(is_address(word) || mixes_scripts(word));
        let (mut marks, mut before) = (0, None);
        for c in word.chars() {
            let is_mark = get_general_category(c) == GeneralCategory::NonspacingMark;
            marks = if is_mark { marks + 1 } else { 0 };
            let is_lost = is_mark && before.is_none_or(|c: char| c.is_ascii_whitespace());
            let is_itself = is_plain && marks <= MARKS && !is_lost && is_legible(c, before);
            if c == ' ' || c.is_ascii_graphic() || is_itself {
                shown.push(c);
            } else {
                shown.extend(c.escape_unicode());
            }
            before = Some(c);
        }
    }
    shown
}

/// The pieces between which one can't be taken for part of another: with what separates them at the end of each.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}')
    })
}

/// Whether `word` may be an address that passes for one in ASCII: of a person, a page or a host. One of another script alone, such
/// as `и/или` or `3.5元`, poses as nothing.
fn is_address(word: &str) -> bool {
    let inner = |(at, c): (usize, char)| {
        let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        c == '.' && beside(word[..at].chars().next_back()) && beside(word[at + 1..].chars().next())
    };
    let has_latin = word.chars().any(|c| c.is_ascii_alphabetic());
    has_latin && (word.contains(['@', '/', '\\']) || word.char_indices().any(inner))
}

/// Whether letters of several scripts stand in `word` that nobody writes in one.
fn mixes_scripts(word: &str) -> bool {
    let mut scripts: Vec<Script> = Vec::new();
    for script in word.chars().map(|c| c.script()) {
        let counts = !matches!(script, Script::Common | Script::Inherited | Script::Unknown);
        if counts && !scripts.contains(&script) {
            scripts.push(script);
        }
    }
    let east = [
        Script::Han,
        Script::Hiragana,
        Script::Katakana,
        Script::Hangul,
        Script::Bopomofo,
        Script::Latin,
    ];
    scripts.len() > 1 && !scripts.iter().all(|script| east.contains(script))
}

/// Whether `c`, which is not ASCII, looks like itself.
fn is_legible(c: char, before: Option<char>) -> bool {
    use GeneralCategory as Is;
    let category = get_general_category(c);
    let is_letter = |c: char| c.is_alphabetic();
    match category {
        Is::Control | Is::Format | Is::Surrogate | Is::PrivateUse | Is::Unassigned => false,
        Is::LineSeparator | Is::ParagraphSeparator | Is::SpaceSeparator => false,
        // It makes a picture of a sign, and hides after a letter.
        Is::NonspacingMark if is_selector(c) => {
            c == '\u{fe0f}' && before.is_some_and(|c| !c.is_ascii() && !is_letter(c))
        }
        // There is a letter for it, which people write.
        Is::NonspacingMark if before.is_some_and(|c| c.script() == Script::Latin) => false,
        _ if is_blank(c) => false,
        // Beyond the letters of living languages stand shapes that pose as them.
        _ if c.script() == Script::Latin => {
            matches!(c, '\u{80}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
        }
        Is::MathSymbol | Is::ModifierLetter | Is::ModifierSymbol => c.script() != Script::Common,
        _ => !matches!(c, '\u{1d400}'..='\u{1d7ff}' | '\u{2024}' | '\u{2044}' | '\u{2215}'),
    }
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Letters and signs that show nothing.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' | '\u{16fe4}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_common_scripts_stay() {
        for text in [
            "Grüße aus Köln — bis morgen!",
            "¿Qué tal? Mañana…",
            "你好，请回复。",
            "こんにちは、カタカナ",
            "안녕하세요",
            "Привет, мир",
            "Γειά σου",
            "مرحبا",
            "שלום",
            "नमस्ते",
            "สวัสดี",
            "Việt Nam",
            "İstanbul ığ",
            "€ 5 “ok” ☕ 👍",
            "3日のMTG",
            "и/или",
            "今天/明天",
            "价格为3.5元",
        ] {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn what_deceives_is_escaped() {
        for (text, shown) in [
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{200b}b", "a\\u{200b}b"),
            ("paypa\u{1e37}.com", "paypa\\u{1e37}.com"),
            ("googl\u{e9}.com", "googl\\u{e9}.com"),
            ("a\u{a0}b", "a\\u{a0}b"),
            ("p\u{430}ypal", "p\\u{430}ypal"),
            ("\u{430}\u{440}\u{440}le.com", "\\u{430}\\u{440}\\u{440}le.com"),
            ("b\u{fc}cher.example", "b\\u{fc}cher.example"),
            ("an\u{3b1}", "an\\u{3b1}"),
            ("\u{3164}", "\\u{3164}"),
            ("\u{1d41a}", "\\u{1d41a}"),
            ("\u{251}pple", "\\u{251}pple"),
            ("line\nline\u{1b}", "line\\u{a}line\\u{1b}"),
            ("\u{301}x", "\\u{301}x"),
            ("e\u{301}vil", "e\\u{301}vil"),
            ("a\u{2215}b", "a\\u{2215}b"),
        ] {
            assert_eq!(line(text), shown);
        }
    }
}
