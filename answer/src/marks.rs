//! What may begin at a place in a model's text: tags of calls, of reasoning, code fences, bare values and calls.
//!
//! What begins at a place depends on a bounded number of bytes behind that place, and on what the line and the
//! fences before it are. That makes the reading the same however the text is cut into chunks.

use super::formats::json::envelope;
use super::lenient::word;
use super::mark::{FENCE, Form, Mark, Tag};
use super::name::Cards;

/// A fence's language and white space between two marks may each have this many bytes.
const SLACK: usize = 32;

/// What tells calls apart in the templates of models: this project's own, Hermes and Qwen, Llama, Mistral.
const TAGS: [(&str, Tag); 34] = [
    ("<tool_code>", Tag::Block(Form::Values, &["</tool_code>"])),
    ("</tool_code>", Tag::BlockEnd),
    ("<tool_call>", Tag::Block(Form::Values, &["</tool_call>"])),
    ("</tool_call>", Tag::Control),
    ("<function=", Tag::Block(Form::Function, &["</function>"])),
    ("[TOOL_CALLS]", Tag::Block(Form::Open, &[])),
    ("<|python_tag|>", Tag::Block(Form::Open, &["<|eom_id|>", "<|eot_id|>"])),
    ("<function_call>", Tag::Foreign("<function_call>")),
    ("<function_calls>", Tag::Foreign("<function_calls>")),
    ("<tool_calls>", Tag::Foreign("<tool_calls>")),
    ("<TOOL_CODE>", Tag::Foreign("<TOOL_CODE>")),
    ("<|tool_call|>", Tag::Foreign("<|tool_call|>")),
    ("<|channel|>commentary", Tag::Foreign("<|channel|>commentary")),
    ("<think>", Tag::Reasoning("</think>")),
    ("</think>", Tag::ReasoningEnd),
    ("<thinking>", Tag::Reasoning("</thinking>")),
    ("</thinking>", Tag::ReasoningEnd),
    ("<reasoning>", Tag::Reasoning("</reasoning>")),
    ("</reasoning>", Tag::ReasoningEnd),
    ("<thought>", Tag::Reasoning("</thought>")),
    ("</thought>", Tag::ReasoningEnd),
    ("[THINK]", Tag::Reasoning("[/THINK]")),
    ("[/THINK]", Tag::ReasoningEnd),
    ("<|channel|>analysis<|message|>", Tag::Reasoning("<|end|>")),
    ("<|channel|>final<|message|>", Tag::Control),
    ("<|start|>assistant", Tag::Control),
    ("<|end|>", Tag::Control),
    ("<|return|>", Tag::Control),
    ("<|im_end|>", Tag::Control),
    ("<|eot_id|>", Tag::Control),
    ("<|eom_id|>", Tag::Control),
    ("<|endoftext|>", Tag::Control),
    ("<end_of_turn>", Tag::Control),
    ("<|eot|>", Tag::Control),
];

/// So much of a tag of calls at the very end of a text is a tag that was cut, not a comparison.
const CUT_TAGS: [&str; 4] = ["<tool", "<func", "<|py", "[TOOL"];

/// The languages of fences that hold nothing but calls.
const CALL_LANGUAGES: [&str; 5] = ["tool_code", "tool_call", "tool_calls", "function_call", "tool"];

/// Where a place is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    /// Nothing but white space stands before it in its line.
    pub(super) is_line_start: bool,
    /// Nothing was said before it.
    pub(super) is_first: bool,
    /// It is inside a code fence, a quotation, or a text that has been looked at: nothing without a tag begins here.
    pub(super) is_plain: bool,
    /// A code fence is open.
    pub(super) is_fenced: bool,
}

/// Whether a text that was cut within a mark was cut within a tag of calls.
pub(super) fn is_cut_tag(text: &str) -> bool {
    CUT_TAGS.iter().any(|cut| text.contains(cut))
}

/// Whether a mark may begin with this character.
pub(super) fn may_begin(c: char, spot: Spot) -> bool {
    let may_name =
        spot.is_line_start && !spot.is_plain && (c.is_ascii_uppercase() || c == '_' || c == 'p');
    matches!(c, '<' | '`' | '[' | '{') || may_name
}

/// What begins where `text` begins.
pub(super) fn mark(text: &str, spot: Spot, cards: Cards<'_>) -> Mark {
    let found = match text.as_bytes().first() {
        Some(b'<') => return tag(text, 0),
        Some(b'`') => return fence(text, spot, cards),
        Some(b'[') => tag(text, 0),
        _ => Mark::None,
    };
    match found {
        Mark::None if spot.is_plain => Mark::None,
        Mark::None => bare(text, spot, cards),
        found => found,
    }
}

fn tag(text: &str, before: usize) -> Mark {
    let mut undecided = Mark::None;
    for (begin, tag) in TAGS {
        if text.starts_with(begin) {
            return Mark::Found(tag, before + begin.len());
        }
        if begin.starts_with(text) {
            undecided = Mark::Undecided;
        }
    }
    undecided
}

/// A code fence matters only for what follows it: its marks, its language, white space, and then a tag or what may
/// be a call.
fn fence(text: &str, spot: Spot, cards: Cards<'_>) -> Mark {
    let Some(behind) = text.strip_prefix(FENCE) else {
        return if FENCE.starts_with(text) { Mark::Undecided } else { Mark::None };
    };
    let language = span(behind, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let space = span(&behind[language..], |b| b.is_ascii_whitespace());
    if language > SLACK || space > SLACK {
        return Mark::None;
    }
    let before = FENCE.len() + language + space;
    let inside = &text[before..];
    if inside.is_empty() {
        return Mark::Undecided;
    }
    if inside.starts_with('<') {
        return match tag(inside, before) {
            found @ Mark::Found(Tag::Block(..), _) => found,
            Mark::Undecided => Mark::Undecided,
            _ => Mark::None,
        };
    }
    if spot.is_plain || spot.is_fenced {
        return Mark::None;
    }
    if CALL_LANGUAGES.contains(&&behind[..language]) {
        return Mark::Found(Tag::Fence(true), before);
    }
    let inner = Spot { is_line_start: true, is_first: false, ..spot };
    match bare(inside, inner, cards) {
        Mark::Found(..) => Mark::Found(Tag::Fence(false), before),
        other => other,
    }
}

/// A value or a call without any tag.
fn bare(text: &str, spot: Spot, cards: Cards<'_>) -> Mark {
    let first = match envelope::message(text) {
        Mark::Found(..) if !(spot.is_first && spot.is_line_start) => Mark::None,
        Mark::Undecided if !(spot.is_first && spot.is_line_start) => Mark::None,
        other => other,
    };
    let found = either(first, value(text, spot));
    if spot.is_line_start { either(found, python(text, cards)) } else { found }
}

fn either(first: Mark, second: Mark) -> Mark {
    if matches!(first, Mark::None) { second } else { first }
}

/// `{` or `[{` with a key behind it; in the middle of a line, one that a call would have.
fn value(text: &str, spot: Spot) -> Mark {
    let mut rest = text;
    for open in ['[', '{'] {
        let Some(behind) = rest.strip_prefix(open) else {
            if open == '[' && rest.starts_with('{') {
                continue;
            }
            return if rest.is_empty() { Mark::Undecided } else { Mark::None };
        };
        let space = span(behind, |b| b.is_ascii_whitespace());
        if space > SLACK {
            return Mark::None;
        }
        rest = &behind[space..];
    }
    let Some(first) = rest.chars().next() else { return Mark::Undecided };
    let is_quote = matches!(first, '"' | '\'' | '“' | '„' | '‘');
    if spot.is_line_start {
        let is_key = is_quote || first.is_ascii_alphabetic() || matches!(first, '/' | '#');
        return if is_key { Mark::Found(Tag::Value, 0) } else { Mark::None };
    }
    let key = if is_quote { &rest[first.len_utf8()..] } else { rest };
    let keys = ["name", "tool", "action", "function", "message"];
    if keys.iter().any(|name| key.starts_with(name)) {
        return Mark::Found(Tag::Value, 0);
    }
    if keys.iter().any(|name| name.starts_with(key)) { Mark::Undecided } else { Mark::None }
}

/// A known action's name with a bracket behind it, perhaps within `print(` or a list.
fn python(text: &str, cards: Cards<'_>) -> Mark {
    let text = text.strip_prefix('[').unwrap_or(text);
    let print = "print(";
    let name = text.strip_prefix(print).unwrap_or(text);
    let given = word(name);
    let known = |check: &dyn Fn(&str) -> bool| {
        cards.into_iter().flatten().any(|card| check(card.name.as_str()))
    };
    if given.len() == name.len() {
        let may_be = known(&|card| card.starts_with(given)) || (print.starts_with(text));
        return if may_be { Mark::Undecided } else { Mark::None };
    }
    let is_call = name[given.len()..].starts_with('(') && known(&|card| card == given);
    if is_call { Mark::Found(Tag::Python, 0) } else { Mark::None }
}

/// How many bytes at the beginning of `text` are of this kind; it does not look further than it matters.
fn span(text: &str, kind: fn(u8) -> bool) -> usize {
    text.bytes().take(SLACK + 1).take_while(|&byte| kind(byte)).count()
}
