//! Markdown as a tree that a page builds its elements from. Text stays text: HTML in it is shown as it stands, pictures are
//! links that a person may open, and a link shows its host.

use conversation::workspace::urls;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag};
use serde_json::{Map, Value, json};
use url::Url;

/// How deep the tree may be. A text that goes deeper is shown as it stands.
const DEEPEST: usize = 24;

/// How many parts it may have.
const MOST: usize = 20_000;

/// The tree of `text`: a list of texts and of objects with a kind `t` and the parts `c`.
pub(super) fn tree(text: &str) -> Vec<Value> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut tree = Tree::default();
    for event in Parser::new_ext(text, options) {
        tree.take(event);
        if tree.open.len() > DEEPEST || tree.count > MOST {
            return vec![json!({"t": "plain", "c": [text]})];
        }
    }
    tree.done
}

/// A tree that is being built.
#[derive(Default)]
struct Tree {
    done: Vec<Value>,
    open: Vec<Part>,
    count: usize,
}

/// A part that is not whole yet.
#[derive(Default)]
struct Part {
    fields: Map<String, Value>,
    parts: Vec<Value>,
    /// The address of a link that is not opened; it is shown behind the text.
    behind: Option<String>,
    /// Addresses in it are no links: it is one, or it is code.
    is_literal: bool,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) {
        self.count += 1;
        match event {
            Event::Start(tag) => {
                let within = self.open.last().is_some_and(|part| part.is_literal);
                let mut part = Part::of(tag);
                part.is_literal |= within;
                self.open.push(part);
            }
            Event::End(_) => {
                if let Some(part) = self.open.pop() {
                    self.add(part.whole());
                }
            }
            Event::Text(text) if self.open.last().is_some_and(|part| part.is_literal) => {
                self.text(&text);
            }
            Event::Text(text) => self.linked(&text),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(code) => self.add(json!({"t": "code", "c": [&*code]})),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.add(json!({"t": "br"})),
            Event::Rule => self.add(json!({"t": "hr"})),
            Event::TaskListMarker(is_done) => self.add(json!({"t": "task", "done": is_done})),
            Event::FootnoteReference(name) => self.text(&name),
        }
    }

    fn add(&mut self, value: Value) {
        self.parts().push(value);
    }

    fn parts(&mut self) -> &mut Vec<Value> {
        match self.open.last_mut() {
            Some(part) => &mut part.parts,
            None => &mut self.done,
        }
    }

    /// Adds a text to the one before it, if there is one.
    fn text(&mut self, text: &str) {
        match self.parts().last_mut() {
            Some(Value::String(before)) => before.push_str(text),
            _ => self.add(text.into()),
        }
    }

    /// Adds a text, in which bare addresses are links.
    fn linked(&mut self, text: &str) {
        let mut rest = text;
        for url in urls(text).filter(|url| url.starts_with("http")) {
            let (Some(at), Some((href, host))) = (rest.find(url), address(url)) else { continue };
            self.text(&rest[..at]);
            self.add(json!({"t": "a", "href": href, "host": host, "c": [url]}));
            self.count += 1;
            rest = &rest[at + url.len()..];
        }
        if !rest.is_empty() {
            self.text(rest);
        }
    }
}

impl Part {
    fn of(tag: Tag<'_>) -> Self {
        let kind = |kind: &str| Self::with(json!({"t": kind}));
        match tag {
            Tag::Heading { level, .. } => Self::with(json!({"t": "h", "level": level as u8})),
            Tag::BlockQuote(_) => kind("quote"),
            Tag::CodeBlock(block) => {
                let language = match &block {
                    CodeBlockKind::Fenced(words) => {
                        words.split_whitespace().next().unwrap_or_default()
                    }
                    CodeBlockKind::Indented => "",
                };
                Self { is_literal: true, ..Self::with(json!({"t": "block", "language": language})) }
            }
            Tag::List(start) => Self::with(json!({"t": "list", "start": start})),
            Tag::Item => kind("item"),
            Tag::Table(columns) => {
                let side = |column: &Alignment| match column {
                    Alignment::None | Alignment::Left => "left",
                    Alignment::Center => "center",
                    Alignment::Right => "right",
                };
                let sides: Vec<&str> = columns.iter().map(side).collect();
                Self::with(json!({"t": "table", "sides": sides}))
            }
            Tag::TableHead => kind("head"),
            Tag::TableRow => kind("row"),
            Tag::TableCell => kind("cell"),
            Tag::Emphasis => kind("em"),
            Tag::Strong => kind("strong"),
            Tag::Strikethrough => kind("del"),
            Tag::Link { dest_url, .. } => Self::leading_to("a", &dest_url),
            Tag::Image { dest_url, .. } => Self::leading_to("picture", &dest_url),
            _ => kind("p"),
        }
    }

    fn with(fields: Value) -> Self {
        match fields {
            Value::Object(fields) => Self { fields, ..Self::default() },
            _ => Self::default(),
        }
    }

    fn leading_to(kind: &str, to: &str) -> Self {
        let part = match address(to) {
            Some((href, host)) => Self::with(json!({"t": kind, "href": href, "host": host})),
            None => Self { behind: Some(to.to_owned()), ..Self::with(json!({"t": "span"})) },
        };
        Self { is_literal: true, ..part }
    }

    fn whole(mut self) -> Value {
        if let Some(behind) = self.behind {
            self.parts.push(format!(" ({behind})").into());
        }
        self.fields.insert("c".to_owned(), self.parts.into());
        self.fields.into()
    }
}

/// An address that a person may open, and where it leads in short.
fn address(url: &str) -> Option<(String, String)> {
    let url = Url::parse(url).ok()?;
    let host = match url.scheme() {
        "http" | "https" => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            format!("{}{port}", url.host_str()?)
        }
        "mailto" => url.path().to_owned(),
        _ => return None,
    };
    Some((url.to_string(), host))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json_of(text: &str) -> String {
        serde_json::to_string(&tree(text)).unwrap()
    }

    #[test]
    fn a_text_and_its_tree() {
        let text = "# Head\n\nOne *two* **three** `four`\nfive\n\n- [x] a\n- b\n\n```rust\nfn x() {}\n```\n\n\
                    | a | b |\n|---|--:|\n| 1 | 2 |\n\n> said\n";
        insta::assert_json_snapshot!(tree(text));
    }

    #[test]
    fn html_is_text_and_nothing_leads_anywhere_but_to_the_web() {
        insta::assert_snapshot!(
            json_of("<script>alert(1)</script>"),
            @r#"[{"t":"p","c":["<script>alert(1)</script>"]}]"#
        );
        insta::assert_snapshot!(
            json_of("a <img src=x onerror=alert(1)> b"),
            @r#"[{"t":"p","c":["a <img src=x onerror=alert(1)> b"]}]"#
        );
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "/v1/cancel",
            "vbscript:x",
        ] {
            let shown = json_of(&format!("[x]({bad}) ![y]({bad})"));
            assert!(!shown.contains("href"), "{shown}");
            assert!(shown.contains(bad), "{shown}");
        }
    }

    #[test]
    fn a_link_tells_its_host_whatever_it_calls_itself() {
        insta::assert_snapshot!(
            json_of("[https://bank.example](https://evil.example/x?y=z)"),
            @r#"[{"t":"p","c":[{"t":"a","href":"https://evil.example/x?y=z","host":"evil.example","c":["https://bank.example"]}]}]"#
        );
        insta::assert_snapshot!(
            json_of("![cat](http://b\u{fc}cher.example:81/cat.png)"),
            @r#"[{"t":"p","c":[{"t":"picture","href":"http://xn--bcher-kva.example:81/cat.png","host":"xn--bcher-kva.example:81","c":["cat"]}]}]"#
        );
        insta::assert_snapshot!(
            json_of("see https://example.com/a."),
            @r#"[{"t":"p","c":["see ",{"t":"a","href":"https://example.com/a","host":"example.com","c":["https://example.com/a"]},"."]}]"#
        );
        assert!(!json_of("`https://example.com`").contains("href"));
    }

    #[test]
    fn a_tree_is_neither_deep_nor_large() {
        for text in ["> ".repeat(1000) + "x", "- ".repeat(1000) + "x", "*a* ".repeat(30_000)] {
            let tree = tree(&text);
            assert_eq!(tree, [json!({"t": "plain", "c": [text]})]);
        }
    }

    fn texts(value: &Value, into: &mut String) {
        match value {
            Value::String(text) => into.push_str(text),
            Value::Array(parts) => parts.iter().for_each(|part| texts(part, into)),
            Value::Object(fields) => texts(&fields["c"], into),
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_tree(text in any::<String>()) {
            tree(&text);
        }

        #[test]
        fn plain_words_are_all_there(words in "[a-z ]{0,200}") {
            let mut shown = String::new();
            texts(&tree(&words).into(), &mut shown);
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(squeezed(&shown), squeezed(&words));
        }
    }
}
