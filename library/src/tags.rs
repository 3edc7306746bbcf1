//! Reads HTML and XHTML tag by tag, in linear time and without a tree.

/// Elements whose inside is not HTML: a `<` in them opens nothing.
const RAW: [&str; 5] = ["script", "style", "textarea", "title", "noscript"];

/// Elements whose inside follows the rules of XML in HTML, too (HTML standard, section "Elements").
pub const FOREIGN: [&str; 2] = ["svg", "math"];

/// Elements of those inside which the rules of HTML hold again (HTML standard, "HTML integration point").
pub const INTEGRATION: [&str; 9] =
    ["annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"];

/// Elements that end the foreign ones around them (HTML standard, "The rules for parsing tokens in foreign content").
pub const BREAKS_OUT: [&str; 45] = [
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];

/// Elements inside a line of text; all others begin a new one.
pub const INLINE: [&str; 22] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "em", "font", "i", "kbd", "mark", "q",
    "s", "small", "span", "strong", "sub", "sup", "u", "wbr",
];

/// A piece of HTML.
#[derive(Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// Text as it is written, entities and all.
    Text(&'a str),
    /// A start tag, its name in lower case, with all that stands `inside` it.
    Open {
        /// The element's name.
        name: String,
        /// What stands between `<` and `>`.
        inside: &'a str,
        /// Whether it ends with `/>` where that ends the element: in XHTML, and in HTML within an `svg` or a `math`.
        closed: bool,
    },
    /// An end tag.
    Close {
        /// The element's name, in lower case.
        name: String,
    },
}

/// The pieces of `html` in order; comments and declarations are left out.
pub fn tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    read(html, false)
}

/// The same of XHTML, where `/>` ends every element.
pub fn xhtml_tokens(xhtml: &str) -> impl Iterator<Item = Token<'_>> {
    read(xhtml, true)
}

fn read(html: &str, is_xml: bool) -> impl Iterator<Item = Token<'_>> {
    let mut rest = html;
    // The element whose inside comes next as it stands.
    let mut raw: Option<String> = None;
    // How many elements are open whose inside is XML.
    let mut foreign = 0_usize;
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
            let (mut token, after) = markup_token(markup);
            rest = after;
            match &mut token {
                Some(Token::Open { name, closed, .. }) => {
                    let begins = FOREIGN.contains(&name.as_str());
                    if BREAKS_OUT.contains(&name.as_str()) {
                        foreign = 0;
                    }
                    *closed &= is_xml || begins || foreign > 0;
                    foreign += usize::from(begins && !*closed);
                    raw = (RAW.contains(&name.as_str()) && !*closed).then(|| name.clone());
                }
                Some(Token::Close { name }) if FOREIGN.contains(&name.as_str()) => {
                    foreign = foreign.saturating_sub(1);
                }
                _ => {}
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

/// `text` with the blanks between its words made one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The attributes of a tag with this `inside`: each name in lower case, with its value as it is written, entities and all.
pub fn attributes(inside: &str) -> Vec<(String, &str)> {
    let is_space = |c: char| c.is_ascii_whitespace() || c == '/';
    let mut rest = inside.trim_start_matches(|c| !is_space(c)).trim_start_matches(is_space);
    let mut found = Vec::new();
    while !rest.is_empty() {
        // A `=` in front belongs to the name (HTML standard, "Before attribute name state").
        let end = rest.char_indices().skip(1).find(|(_, c)| is_space(*c) || *c == '=');
        let (name, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        let value = after.trim_start().strip_prefix('=').map(str::trim_start);
        let (value, after) = value.map_or(("", after), attribute_value);
        found.push((name.to_ascii_lowercase(), value));
        rest = after.trim_start_matches(is_space);
    }
    found
}

/// The value at the beginning of `text`, without its quotes, and what stands behind it.
fn attribute_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len()))
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
    use super::*;

    #[test]
    fn attributes_are_read_as_a_browser_reads_them() {
        let read = |inside: &str| {
            let found = attributes(inside).into_iter();
            found.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("|")
        };
        assert_eq!(read("p"), "");
        assert_eq!(read("p hidden"), "hidden=");
        assert_eq!(read("p HIDDEN/"), "hidden=");
        assert_eq!(
            read("a title=\"the hidden = x\" href = /b/c"),
            "title=the hidden = x|href=/b/c"
        );
        assert_eq!(read("p\nstyle='a:b'id=x"), "style=a:b|id=x");
        assert_eq!(read("p =x y="), "=x=|y=");
        assert_eq!(read("p style=\"open"), "style=open");
    }
}
