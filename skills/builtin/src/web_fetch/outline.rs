//! Reads HTML tag by tag, in linear time and without a tree: how deep it is nested, its title, and its text
//! when the readable part cannot be told from the rest.

use std::collections::HashMap;

use html_escape::decode_html_entities;

/// Elements that end by themselves (HTML standard, section "Optional tags") or have no inside.
const SELF_ENDING: [&str; 27] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "optgroup", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr",
    "track", "wbr", "colgroup",
];

/// Elements whose inside is not HTML: a `<` in them opens nothing.
const RAW: [&str; 5] = ["script", "style", "textarea", "title", "noscript"];

/// Elements whose inside nobody reads.
const HIDDEN: [&str; 4] = ["script", "style", "title", "noscript"];

/// Elements inside a line of text; all others begin a new one.
const INLINE: [&str; 21] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "em", "font", "i", "kbd", "mark", "q",
    "s", "small", "span", "strong", "sub", "sup", "u",
];

/// How deep a parser would nest the elements of `html`, or a little more.
pub(super) fn depth(html: &str) -> usize {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens(html) {
        match token {
            Token::Open { name, closed, .. } => {
                // Inside these, HTML's rules on what ends by itself do not hold, but `/>` does.
                let foreign = ["svg", "math"].iter().any(|n| open.get(*n).is_some_and(|o| *o > 0));
                let ends = if foreign { closed } else { SELF_ENDING.contains(&name.as_str()) };
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

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A piece of HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// A start tag, its name in lower case, with all that stands `inside` it; `closed` when it ends with `/>`.
    Open {
        name: String,
        inside: &'a str,
        closed: bool,
    },
    Close {
        name: String,
    },
}

/// The pieces of `html` in order; comments and declarations are left out.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = html;
    // The element whose inside comes next as it stands.
    let mut raw: Option<String> = None;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            if let Some(name) = raw.take() {
                let (inside, after) = rest.split_at(end_of_raw(rest, &name));
                rest = after;
                return Some(Token::Text(inside));
            }
            let Some(markup) = rest.strip_prefix('<') else {
                let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
                rest = after;
                return Some(Token::Text(text));
            };
            let (token, after) = markup_token(markup);
            rest = after;
            if let Some(Token::Open { name, .. }) = &token {
                raw = RAW.contains(&name.as_str()).then(|| name.clone());
            }
            if token.is_some() {
                return token;
            }
        }
        None
    })
}

/// What stands behind a `<`, and the rest behind that.
fn markup_token(markup: &str) -> (Option<Token<'_>>, &str) {
    if let Some(comment) = markup.strip_prefix("!--") {
        return (None, comment.split_once("-->").map_or("", |(_, after)| after));
    }
    let (is_end, tag) = match markup.strip_prefix('/') {
        Some(tag) => (true, tag),
        None => (false, markup),
    };
    if tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let end = end_of_tag(tag);
        let inside = &tag[..end];
        let name = inside.split(|c: char| c.is_ascii_whitespace() || c == '/').next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let closed = inside.ends_with('/');
        let token =
            if is_end { Token::Close { name } } else { Token::Open { name, inside, closed } };
        return (Some(token), tag.get(end + 1..).unwrap_or_default());
    }
    if is_end || markup.starts_with(['!', '?']) {
        return (None, markup.split_once('>').map_or("", |(_, after)| after));
    }
    (Some(Token::Text("<")), markup)
}

/// Where the `>` of a tag is that no quotes hide; the end when there is none.
fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// Where the inside of a raw element ends: at its end tag, or at the end of the page.
fn end_of_raw(text: &str, name: &str) -> usize {
    let ends = |at: &usize| {
        let tag = &text.as_bytes()[at + 2..];
        tag.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    };
    text.match_indices("</").map(|(at, _)| at).find(ends).unwrap_or(text.len())
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
