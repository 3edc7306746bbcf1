//! Model text as Telegram shows it: what the marks of Markdown enclose is formatted, and all of it stays.
//!
//! The formatting is told beside the text, so nothing that a model writes is read by Telegram as an order: there is no
//! way to a link that shows other words than its address.

use ::markup::harmless;

use crate::styled::{Mark, Styled};

/// Reads text that a model, or the agent itself, has written. Every character of it stays, the marks as well: what looks
/// like a mark may be code. Text that is added later changes the last line alone.
pub fn read(text: &str) -> Styled {
    let text = harmless(text);
    let mut styled = Styled::default();
    let mut block: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        block = match (block.take(), is_fence) {
            (None, true) => {
                styled.push(line, None);
                Some(String::new())
            }
            (None, false) => {
                read_line(line, &mut styled);
                None
            }
            (Some(lines), true) => {
                push_but_line_ends(&lines, Mark::Block, &mut styled);
                styled.push(line, None);
                None
            }
            (Some(lines), false) => Some(lines + line),
        };
    }
    if let Some(lines) = block {
        push_but_line_ends(&lines, Mark::Block, &mut styled);
    }
    styled
}

fn push_but_line_ends(text: &str, look: Mark, styled: &mut Styled) {
    let (text, ends) = text.split_at(text.trim_end_matches('\n').len());
    styled.push(text, Some(look));
    styled.push(ends, None);
}

fn read_line(line: &str, styled: &mut Styled) {
    let marks = line.len() - line.trim_start_matches('#').len();
    match line.get(marks..).and_then(|rest| rest.strip_prefix(' ')) {
        Some(title) if (1..=6).contains(&marks) => {
            styled.push(&line[..=marks], None);
            push_but_line_ends(title, Mark::Bold, styled);
        }
        _ => read_within(line, styled),
    }
}

/// Code between backticks and bold text between two stars; both end in the line that they begin in, or are none.
fn read_within(mut rest: &str, styled: &mut Styled) {
    while let Some(at) = rest.find(['`', '*']) {
        let (before, from) = rest.split_at(at);
        styled.push(before, None);
        let marks = [("`", Mark::Code), ("***", Mark::Bold), ("**", Mark::Bold)];
        let found = marks.into_iter().find_map(|(mark, look)| {
            let (inner, behind) = from.strip_prefix(mark)?.split_once(mark)?;
            let is_one = !inner.is_empty() && inner.trim() == inner;
            is_one.then_some((mark, inner, behind, look))
        });
        rest = match found {
            Some((mark, inner, behind, look)) => {
                styled.push(mark, None);
                styled.push(inner, Some(look));
                styled.push(mark, None);
                behind
            }
            None => {
                // All of the same sign, so that half of `**` begins nothing.
                let sign = &from[..1];
                let count = from.len() - from.trim_start_matches(sign).len();
                styled.push(&from[..count], None);
                &from[count..]
            }
        };
    }
    styled.push(rest, None);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text with its marks shown as `[bold]`, `<code>` and `{block}`.
    fn shown(text: &str) -> String {
        let styled = read(text);
        let mut shown = String::new();
        let mut from = 0;
        for (at, look) in &styled.marks {
            let (open, close) = match look {
                Mark::Bold => ('[', ']'),
                Mark::Code => ('<', '>'),
                Mark::Block => ('{', '}'),
            };
            shown.push_str(&styled.text[from..at.start]);
            shown.push(open);
            shown.push_str(&styled.text[at.clone()]);
            shown.push(close);
            from = at.end;
        }
        shown + &styled.text[from..]
    }

    #[test]
    fn what_is_marked_looks_like_it_and_the_marks_stay() {
        for (text, becomes) in [
            ("**bold** and ***both***", "**[bold]** and ***[both]***"),
            ("# Title\ntext **b**", "# [Title]\ntext **[b]**"),
            ("## **Title**", "## [**Title**]"),
            ("a * b, 2*3, 2**3", "a * b, 2*3, 2**3"),
            ("* item\n- item", "* item\n- item"),
            ("#tag and C#", "#tag and C#"),
            ("run `ls **` now", "run `<ls **>` now"),
            ("one ` alone, ** too", "one ` alone, ** too"),
            ("```sh\nls | wc\n```\nthen", "```sh\n{ls | wc}\n```\nthen"),
            ("```\nnot ended **x**", "```\n{not ended **x**}"),
            ("[words](https://a.example)", "[words](https://a.example)"),
            ("<b>no</b> & _no_", "<b>no</b> & _no_"),
            ("a\u{202e}b\x1bc", "abc"),
        ] {
            assert_eq!(shown(text), becomes, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_marks_stand_one_after_the_other(text in "([a`*#\n ä😀]|\\PC){0,60}") {
            let styled = read(&text);
            prop_assert_eq!(&styled.text, &harmless(&text));
            let mut from = 0;
            for (at, _) in &styled.marks {
                prop_assert!(from <= at.start && at.start < at.end);
                prop_assert!(styled.text.get(at.clone()).is_some());
                from = at.end;
            }
        }
    }
}
