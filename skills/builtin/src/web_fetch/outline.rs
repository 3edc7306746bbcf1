//! Reads HTML tag by tag, in linear time and without a tree: how deep it is nested, its title, and its text
//! when the readable part cannot be told from the rest.

use std::collections::HashMap;

use html_escape::decode_html_entities;
use library::tags::{BREAKS_OUT, FOREIGN, INLINE, INTEGRATION, Token, one_line, tokens};

/// Elements that end by themselves (HTML standard, section "Optional tags") or have no inside.
const SELF_ENDING: [&str; 27] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "optgroup", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr",
    "track", "wbr", "colgroup",
];

/// Elements whose inside nobody reads.
const HIDDEN: [&str; 4] = ["script", "style", "title", "noscript"];

/// How deep a parser would nest the elements of `html`, or a little more.
pub(super) fn depth(html: &str) -> usize {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens(html) {
        match token {
            Token::Open { name, closed, .. } => {
                let element = name.as_str();
                let is_open =
                    |names: &[&str]| names.iter().any(|n| open.get(*n).is_some_and(|o| *o > 0));
                let begins = FOREIGN.contains(&element);
                let mut foreign = begins || is_open(&FOREIGN);
                if foreign && !begins && (BREAKS_OUT.contains(&element) || is_open(&INTEGRATION)) {
                    // A parser reads HTML from here on. Where it would read XML again is not looked for.
                    for name in FOREIGN {
                        open.remove(name);
                    }
                    foreign = false;
                }
                // Inside these, HTML's rules on what ends by itself do not hold, but `/>` does.
                let ends = if foreign { closed } else { SELF_ENDING.contains(&element) };
                if !ends {
                    *open.entry(name).or_default() += 1;
                    depth += 1;
                    deepest = deepest.max(depth);
                }
            }
            Token::Close { name } => {
                if let Some(count) = open.get_mut(&name).filter(|count| **count > 0) {
                    *count -= 1;
                    depth -= 1;
                }
            }
            Token::Text(_) => {}
        }
    }
    deepest
}

/// The text of the first `<title>`, in one line.
pub(super) fn title(html: &str) -> String {
    let mut tokens = tokens(html);
    let opens = |token: &Token<'_>| matches!(token, Token::Open { name, .. } if name == "title");
    match (tokens.find(opens), tokens.next()) {
        (Some(_), Some(Token::Text(text))) => one_line(&decode_html_entities(text)),
        _ => String::new(),
    }
}

/// All text of a page that is shown, a line for each block.
pub(super) fn text(html: &str) -> String {
    let mut lines = vec![String::new()];
    let mut hidden = false;
    for token in tokens(html) {
        match token {
            Token::Open { name, .. } => {
                hidden = HIDDEN.contains(&name.as_str());
                if !INLINE.contains(&name.as_str()) {
                    lines.push(String::new());
                }
            }
            Token::Close { name } => {
                hidden = false;
                if !INLINE.contains(&name.as_str()) {
                    lines.push(String::new());
                }
            }
            Token::Text(text) if !hidden => {
                if let Some(line) = lines.last_mut() {
                    line.push_str(&decode_html_entities(text));
                }
            }
            Token::Text(_) => {}
        }
    }
    let lines: Vec<String> =
        lines.iter().map(|line| one_line(line)).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_depth_is_what_a_parser_would_nest() {
        for (html, expected) in [
            ("", 0),
            ("<html><body><p>a<p>b<br><p>c", 2),
            ("<ul><li>a<li>b<ul><li>c</ul></ul>", 2),
            ("<div></b><div></b><div>", 3),
            ("<DIV></div><Div></DIV>", 1),
            ("<!-- <div><div> --><script>'<div><div>'</script>", 1),
            ("<svg><path/><path/><path/></svg>", 1),
            ("<svg><link><link><td><td>", 5),
            ("<svg/><svg/><g/>", 1),
            ("<svg><div/><div/><div/>", 4),
            ("<svg><desc>a</desc><path/><path/></svg>", 2),
            ("<svg><foreignObject><x/><x/><x/>", 5),
            ("<math><mi><x/></mi><x/><x/>", 4),
            ("<a title='</a><b>' x=\"'\"><i>", 2),
            ("1 < 2 <3", 0),
        ] {
            assert_eq!(depth(html), expected, "{html}");
        }
    }

    #[test]
    fn the_title_is_one_line_without_entities() {
        assert_eq!(title("<head><TITLE>\n Tom &amp;\n Jerry </title>"), "Tom & Jerry");
        assert_eq!(title("<title></title><p>x"), "");
        assert_eq!(title("<p>x"), "");
        assert_eq!(title("<title>a <b> c</title>"), "a <b> c");
    }

    #[test]
    fn the_text_is_what_is_shown_a_line_a_block() {
        let html = "<html><head><title>T</title><style>p{}</style></head><body><h1>A  <b>bold</b>\n head</h1>\
                    <script>if (a < b) {}</script><!-- x --><ul><li>1 &lt; 2<li>two</ul>end<noscript>no</noscript>";
        assert_eq!(text(html), "A bold head\n1 < 2\ntwo\nend");
    }

    #[test]
    fn a_large_page_takes_linear_time() {
        // Each of these would take minutes if the time grew with the square.
        for piece in
            ["<div>", "<", "</", "<!--", "<!", "<a '", "<script>", "<title></", "&", "<p>a"]
        {
            let html = piece.repeat(2 * 1024 * 1024 / piece.len());
            let _ = (depth(&html), title(&html), text(&html));
        }
    }

    proptest! {
        #[test]
        fn never_panics(html in "[<>/!a\"'= é&;-]{0,60}") {
            let _ = (depth(&html), title(&html), text(&html));
        }
    }
}
