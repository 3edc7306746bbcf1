//! The passages of the library that fit a question, fenced, each with its citation.

use answer::sanitize::fit;
use async_trait::async_trait;
use protocol::Reads;

use super::section::{Part, Section, Source};
use super::{Passage, Passages, Step};

/// How large the section may be, in bytes.
const MOST: usize = 8_000;

/// What a small window leaves of it, in bytes.
const LEAST: usize = 1_500;

/// What stands before the passages.
const SAID: &str = "Passages from the library, each behind its citation. Answer from them alone. Behind whatever you take \
    from one, write its citation just as it stands. If they do not hold the answer, say so.";

/// The section `KNOWN`: there only where the library was searched for the message.
pub(super) struct Known;

#[async_trait]
impl Source for Known {
    fn name(&self) -> &'static str {
        "KNOWN"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let known = step.known;
        if known.found.is_empty() {
            return None;
        }
        let brings = known.found.iter().fold(Reads::NONE, |all, one| Reads {
            public: all.public || one.brings.public,
            private: all.private || one.brings.private,
        });
        let section = Section::written(move |manner| {
            let said = known.told.as_deref().unwrap_or(SAID);
            vec![Part::own(said), Part::marked("passages", written(known, manner.room))]
        });
        let section = section.tainted(brings.taint(), "the library");
        Some(section.at_most(MOST).making_room(45, LEAST, "a part of the passages"))
    }
}

/// Each passage with its share of the room, behind its citation where it is to be cited.
fn written(known: &Passages, room: usize) -> String {
    let share = room / known.found.len().max(1);
    let one = |passage: &Passage| match &known.told {
        Some(_) => fit(&passage.text, share),
        None => fit(&format!("{}\n{}", passage.citation, passage.text), share),
    };
    known.found.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// The citations in `answer` that are none of `known`: what stands in brackets and names a file.
#[must_use]
pub fn made_up<'a>(answer: &'a str, known: &[Passage]) -> Vec<&'a str> {
    let mut made_up = cited(answer);
    made_up.retain(|cited| !is_known(cited, known));
    made_up
}

/// The citation of the passage that the search found first; none where `answer` cites one of them itself. What the words of a small
/// model's answer tell of its source is less than that.
#[must_use]
pub fn closest<'k>(answer: &str, known: &'k [Passage]) -> Option<&'k str> {
    let is_cited = cited(answer).iter().any(|cited| is_known(cited, known));
    known.first().filter(|_| !is_cited).map(|passage| passage.citation.as_str())
}

/// The citations in `answer`, each once.
fn cited(answer: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = answer;
    while let Some(at) = rest.find('[') {
        let from = &rest[at..];
        let Some(end) = from.find(']') else { break };
        let cited = &from[..=end];
        rest = &from[end + 1..];
        // A link of Markdown is no citation.
        let is_link = rest.starts_with('(');
        if names_a_file(cited) && !is_link && !all.contains(&cited) {
            all.push(cited);
        }
    }
    all
}

/// Whether the file and the place of `cited` stand in one of `known`; models like to shorten a page range or a path
/// of headings, and to leave the place out.
fn is_known(cited: &str, known: &[Passage]) -> bool {
    let inner = |text: &str| text.trim_matches(['[', ']']).trim().to_lowercase();
    let cited = inner(cited);
    let (file, place) = cited.split_once(", ").unwrap_or((&cited, ""));
    known.iter().any(|passage| {
        let real = inner(&passage.citation);
        let (name, real_place) = real.split_once(", ").unwrap_or((&real, ""));
        name == file && (place.is_empty() || place == real_place || is_within(place, real_place))
    })
}

/// Whether `place` is a page of the range `real`.
fn is_within(place: &str, real: &str) -> bool {
    let pages = |text: &str| -> Option<(u32, u32)> {
        let text = text.strip_prefix("pages ").or_else(|| text.strip_prefix("page "))?;
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
    };
    match (pages(place), pages(real)) {
        (Some((first, last)), Some((from, to))) => from <= first && first <= last && last <= to,
        _ => real.starts_with(place) && real[place.len()..].starts_with(" > "),
    }
}

/// Whether it begins with a name that has an ending, as files have.
fn names_a_file(cited: &str) -> bool {
    const ENDINGS: [&str; 8] = [".pdf", ".docx", ".md", ".txt", ".html", ".epub", ".xlsx", ".csv"];
    let inner = cited.trim_matches(['[', ']']);
    let name = inner.split(',').next().unwrap_or_default().trim().to_lowercase();
    ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(citation: &str) -> Passage {
        Passage { citation: citation.to_owned(), text: String::new(), brings: Reads::BOTH }
    }

    #[test]
    fn passages_stand_behind_their_citations_only_where_they_are_to_be_cited() {
        let passage = Passage { text: "Turn it.".to_owned(), ..passage("[manual.pdf]") };
        let mut known = Passages { found: vec![passage], told: None };
        assert_eq!(written(&known, 100), "[manual.pdf]\nTurn it.");
        known.told = Some("Answer from it.".to_owned());
        assert_eq!(written(&known, 100), "Turn it.");
    }

    #[test]
    fn an_answer_without_a_citation_has_that_of_the_passage_that_was_found_first() {
        let known = [passage("[pump.md, Pump]"), passage("[bike.md]")];
        for (answer, expected) in [
            ("It is 27 months.", Some("[pump.md, Pump]")),
            ("Two years, at the shop [shop.md].", Some("[pump.md, Pump]")),
            ("Two years, says [bike.md].", None),
        ] {
            assert_eq!(closest(answer, &known), expected, "{answer}");
        }
        assert_eq!(closest("It is 27 months.", &[]), None);
    }

    #[test]
    fn a_citation_that_was_no_hit_is_found() {
        let known = [passage("[manual.pdf, pages 2-3]"), passage("[notes.md, A > B]")];
        for (answer, expected) in [
            ("Turn it [manual.pdf, pages 2-3]. See [notes.md, A > B].", vec![]),
            ("[manual.pdf, page 3] [manual.pdf] [Notes.md, a]", vec![]),
            ("[manual.pdf, page 4]", vec!["[manual.pdf, page 4]"]),
            ("[other.pdf, page 2] and [other.pdf, page 2]", vec!["[other.pdf, page 2]"]),
            ("a [link.md](https://x) [1] [x] [ ", vec![]),
        ] {
            assert_eq!(made_up(answer, &known), expected, "{answer}");
        }
    }
}
