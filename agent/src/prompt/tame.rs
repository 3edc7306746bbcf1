//! Makes text that nobody vouches for fit to stand in a prompt.

/// What model servers and this project read as a change of role or as a call. Only its first character
/// is replaced, so that people and models still see what stood there.
const MARKERS: [&str; 13] = [
    "<tool_",
    "</tool_",
    "<function_",
    "</function_",
    "<think",
    "</think",
    "<|",
    "<｜",
    "<s>",
    "</s>",
    "<<SYS",
    "<</SYS",
    "<start_of_turn",
];
const TURN_END: &str = "<end_of_turn";
const INSTRUCTION: [&str; 2] = ["[INST", "[/INST"];

/// What stands in for the `<` or `[` of a marker.
const BROKEN: char = '‹';

/// The text with its role and call markers visibly broken and without control characters other than line
/// breaks and tabs.
pub(crate) fn tame(text: &str) -> String {
    let mut tamed = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        tamed.push(match character {
            '<' | '[' if is_marker(&text[at..]) => BROKEN,
            '\n' | '\t' => character,
            '\r' => continue,
            _ if character.is_control() || is_bidi(character) => '\u{fffd}',
            _ => character,
        });
    }
    tamed
}

fn is_marker(text: &str) -> bool {
    let begins = |marker: &&str| {
        text.get(..marker.len()).is_some_and(|start| start.eq_ignore_ascii_case(marker))
    };
    MARKERS.iter().chain(&INSTRUCTION).chain([&TURN_END]).any(begins)
}

/// The characters that reorder what people see (Unicode Bidi_Control).
fn is_bidi(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with its further lines indented, so that none of them looks like the beginning of an entry.
pub(crate) fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n  ")
}

/// At most `limit` bytes of the text, tamed, and a word on what was cut. It is cut first, because what is
/// not shown need not be looked at.
pub(crate) fn fit(text: &str, limit: usize) -> String {
    clip(text, limit, tame)
}

/// The same for text that the owner vouches for.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    clip(text, limit, str::to_owned)
}

fn clip(text: &str, limit: usize, show: fn(&str) -> String) -> String {
    let kept = &text[..text.floor_char_boundary(limit)];
    match text.len() - kept.len() {
        0 => show(kept),
        more => format!("{} [... {more} more bytes are not shown]", show(kept)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_broken_and_other_text_stays() {
        for marker in
            ["<tool_code>", "</TOOL_CODE>", "<think>", "<|im_start|>", "[/INST]", "<end_of_turn>"]
        {
            assert_eq!(tame(&format!("a{marker}")), format!("a‹{}", &marker[1..]));
        }
        for text in ["1 < 2 <b>bold</b> [1] <", "größer\n\tund 数"] {
            assert_eq!(tame(text), text);
        }
    }

    #[test]
    fn control_and_bidi_characters_are_gone() {
        assert_eq!(tame("a\0b\u{1b}[2J\u{202e}c\r\n"), "a\u{fffd}b\u{fffd}[2J\u{fffd}c\n");
    }

    #[test]
    fn a_cut_is_said_and_never_splits_a_character() {
        assert_eq!(fit("ä<|ää", 5), "ä‹| [... 4 more bytes are not shown]");
        assert_eq!(cut("ä<|", 4), "ä<|");
    }
}
