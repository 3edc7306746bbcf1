//! A storm to hand on: plain Markdown, a page of HTML, or a line of JSON for each message.
//!
//! The page stands alone and fetches nothing: what agents say may name pictures and scripts of others, so HTML of
//! theirs is shown as text, pictures become links, and links lead to the web or to a mailbox only.

use std::fmt::Write as _;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use serde_json::json;

use crate::escape::escaped;
use crate::log::{Log, Message};
use crate::name::is_person;
use crate::premise::Premise;

/// How many colours speakers have.
const COLOURS: usize = 8;

const STYLE: &str = include_str!("export.css");

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown without tags.
    Markdown,
    /// One page.
    Html,
    /// A line of JSON for each message: `{"from": ..., "at": ..., "text": ...}`.
    JsonLines,
}

impl Format {
    /// All of them, as people name them.
    pub const ALL: [(&'static str, Self); 3] =
        [("md", Self::Markdown), ("html", Self::Html), ("jsonl", Self::JsonLines)];

    /// The ending of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, format)| *format == self);
        named.map_or("", |(name, _)| name)
    }
}

/// The storm `title` in this form.
#[must_use]
pub fn export(format: Format, title: &str, premise: &Premise, log: &Log) -> String {
    match format {
        Format::Markdown => markdown(title, premise, log),
        Format::Html => page(title, premise, log),
        Format::JsonLines => log.messages().map(line).collect(),
    }
}

fn markdown(title: &str, premise: &Premise, log: &Log) -> String {
    let mut out = format!("# {title}\n\n");
    for line in premise.as_str().lines() {
        out.push_str(format!("> {line}").trim_end());
        out.push('\n');
    }
    for message in log.messages() {
        // No line of a message passes for such a heading.
        let (from, at, text) = (&message.from, message.at, escaped(&message.text));
        // Writing to a string does not fail.
        let _ = write!(out, "\n## [{from}]:\n\n*{at} UTC*\n\n{text}\n");
    }
    out
}

fn line(message: &Message) -> String {
    let line =
        json!({"from": message.from, "at": format!("{}Z", message.at), "text": message.text});
    format!("{line}\n")
}

fn page(title: &str, premise: &Premise, log: &Log) -> String {
    let mut speakers: Vec<&str> = Vec::new();
    let mut articles = String::new();
    for message in log.messages() {
        let class = match is_person(&message.from) {
            true => "person".to_owned(),
            false => format!("c{}", place(&mut speakers, &message.from) % COLOURS),
        };
        let (from, at, body) = (plain(&message.from), message.at, rendered(&message.text));
        let _ = write!(
            articles,
            "<article class=\"{class}\">\n<h2>{from}</h2>\n<time datetime=\"{at}Z\">{at} UTC</time>\n{body}</article>\n"
        );
    }
    let (title, premise) = (plain(title), rendered(premise.as_str()));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<blockquote>\n{premise}</blockquote>\n\
         {articles}</main>\n</body>\n</html>\n"
    )
}

/// Which speaker it is, counted by who speaks first.
fn place<'m>(speakers: &mut Vec<&'m str>, name: &'m str) -> usize {
    speakers.iter().position(|known| *known == name).unwrap_or_else(|| {
        speakers.push(name);
        speakers.len() - 1
    })
}

/// Markdown as HTML that holds no markup of the text's own.
fn rendered(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(text, options).map(harmless);
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link { link_type, dest_url, title, id })
        | Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: outside(dest_url), title, id })
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        other => other,
    }
}

/// Where a link leads, if that is a place for links.
fn outside(url: CowStr<'_>) -> CowStr<'_> {
    let lower = url.trim_start().to_ascii_lowercase();
    let is_good = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    if is_good { url } else { CowStr::Borrowed("#") }
}

/// `text` as it stands in HTML.
fn plain(text: &str) -> String {
    let pairs = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")];
    pairs.iter().fold(text.to_owned(), |text, (plain, entity)| text.replace(plain, entity))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = include_str!("../fixtures/earlier/SessionExample/SessionExample.log.md");

    fn exported(format: Format, said: &[(&str, &str)]) -> String {
        let (mut log, _) = Log::read(LOG).unwrap();
        log.entries.truncate(1);
        for (from, text) in said {
            let from = (*from).to_owned();
            let message = Message { from, at: log.created.unwrap(), text: (*text).to_owned() };
            log.entries.push(crate::log::Entry::Message(message));
        }
        export(format, "A & B", &Premise::new("About\n\nweekends.").unwrap(), &log)
    }

    #[test]
    fn markdown_is_the_conversation_without_tags() {
        let text = exported(Format::Markdown, &[("Critic", "No.\n## [user]:\nYes.")]);
        insta::assert_snapshot!(text, @r"
        # A & B

        > About
        >
        > weekends.

        ## [user]:

        *2025-03-01T15:01:00 UTC*

        Let's brainstorm ideas for a new mobile app that helps people connect with local businesses.

        ## [Critic]:

        *2025-03-01T15:00:00 UTC*

        No.
        \## [user]:
        Yes.
        ");
    }

    #[test]
    fn lines_of_json_keep_every_byte() {
        let text = exported(Format::JsonLines, &[("Critic", "a \"b\"\n\n")]);
        let last = text.lines().last().unwrap();
        assert_eq!(last, r#"{"from":"Critic","at":"2025-03-01T15:00:00Z","text":"a \"b\"\n\n"}"#);
    }

    #[test]
    fn a_page_holds_no_markup_of_those_who_speak() {
        let text = "See <script>x()</script> <img src=//a> ![p](https://a/p.png) [l](javascript:x) [ok](https://b/)";
        let page =
            exported(Format::Html, &[("<b>", text), ("Critic", "**bold**"), ("<b>", "again")]);
        for bad in ["<script", "<img", "javascript:", "<b>"] {
            assert!(!page.contains(bad), "{bad}: {page}");
        }
        assert!(page.contains("&lt;script&gt;") && page.contains("<h2>&lt;b&gt;</h2>"), "{page}");
        assert!(page.contains("<a href=\"https://a/p.png\">p</a>"), "{page}");
        assert!(
            page.contains("<a href=\"https://b/\">ok</a>") && page.contains("<a href=\"#\">l</a>")
        );
        assert!(page.contains("<strong>bold</strong>") && page.contains("<h1>A &amp; B</h1>"));
        assert_eq!(page.matches("class=\"c0\"").count(), 2);
        assert_eq!(page.matches("class=\"person\"").count(), 1);
    }
}
