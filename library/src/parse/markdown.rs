//! Markdown: a section for each heading, with the path of headings above it. Fenced code has no headings.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser as Events, Tag, TagEnd};

use super::text::decode;
use super::{Budget, Parser};
use crate::tags::one_line;
use crate::{Document, ParseError, Section};

pub(super) struct Markdown;

impl Parser for Markdown {
    fn parse(&self, bytes: &[u8], _budget: &Budget) -> Result<Document, ParseError> {
        let text = decode(bytes, "Markdown")?;
        Ok(Document { sections: sections(&text), notes: Vec::new() })
    }
}

/// A heading and where it stands in the text.
struct Heading {
    level: HeadingLevel,
    title: String,
    start: usize,
    end: usize,
}

fn headings(text: &str) -> Vec<Heading> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut headings = Vec::<Heading>::new();
    let mut open: Option<Heading> = None;
    for (event, at) in Events::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = Some(Heading { level, title: String::new(), start: at.start, end: at.end });
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut open {
                    heading.title.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.title.push(' ');
                }
            }
            _ => {}
        }
    }
    headings
}

fn sections(text: &str) -> Vec<Section> {
    let headings = headings(text);
    let mut path: Vec<(HeadingLevel, String)> = Vec::new();
    let first = headings.first().map_or(text.len(), |heading| heading.start);
    let mut sections = Vec::new();
    push(&mut sections, &path, &text[..first], true);
    for (index, heading) in headings.iter().enumerate() {
        path.retain(|(level, _)| *level < heading.level);
        path.push((heading.level, one_line(&heading.title)));
        let next = headings.get(index + 1);
        let end = next.map_or(text.len(), |next| next.start);
        // A heading whose own text is empty lives on in the path of the one below it.
        let leaf = next.is_none_or(|next| next.level <= heading.level);
        push(&mut sections, &path, &text[heading.end.min(end)..end], !leaf);
    }
    sections
}

fn push(
    sections: &mut Vec<Section>,
    path: &[(HeadingLevel, String)],
    body: &str,
    skip_blank: bool,
) {
    let headings: Vec<String> =
        path.iter().map(|(_, title)| title.clone()).filter(|title| !title.is_empty()).collect();
    let body = body.trim_matches('\n');
    if body.trim().is_empty() {
        if !skip_blank && let Some(title) = headings.last().cloned() {
            sections.push(Section::new(headings, title));
        }
        return;
    }
    sections.push(Section::new(headings, body));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let section = |section: Section| (section.headings.join(" > "), section.text);
        sections(text).into_iter().map(section).collect()
    }

    fn pair(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn every_section_knows_the_headings_above_it() {
        let text = "Before.\n\n# A\n\none\n## B `x`\ntwo\n# C\nthree\n\nSetext\n------\nfour\n";
        assert_eq!(
            read(text),
            [
                pair("", "Before."),
                pair("A", "one"),
                pair("A > B x", "two"),
                pair("C", "three"),
                pair("C > Setext", "four"),
            ]
        );
    }

    #[test]
    fn fenced_code_and_front_matter_have_no_headings() {
        let text = "---\ntitle: x\n---\n# A\n```sh\n# not one\nrun\n```\n    # nor this\nend";
        let sections = read(text);
        assert_eq!(
            sections.last(),
            Some(&pair("A", "```sh\n# not one\nrun\n```\n    # nor this\nend"))
        );
        assert!(sections.iter().all(|(path, _)| path.is_empty() || path == "A"));
    }

    #[test]
    fn a_heading_without_text_is_found_by_what_stands_below_or_by_itself() {
        assert_eq!(
            read("# A\n## B\nx\n## Alone\n"),
            [pair("A > B", "x"), pair("A > Alone", "Alone")]
        );
        assert_eq!(read("####### seven\n#no\n"), [pair("", "####### seven\n#no")]);
        assert_eq!(read(""), []);
    }
}
