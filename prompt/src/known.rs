//! The passages of the library that fit a question, fenced, each with its citation.

use std::collections::BTreeSet;

use answer::sanitize::fit;
use async_trait::async_trait;
use protocol::Reads;

use super::section::{Part, Section, Source};
use super::words::plain_words;
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

/// The citation of the passage that `answer` was most likely taken from: two rankings are merged by reciprocal rank, that of the
/// search and that by the words shared with the answer, of those that few of `known` have. None where the answer cites one of them
/// itself, or shares no word with any.
#[must_use]
pub fn closest<'k>(answer: &str, known: &'k [Passage]) -> Option<&'k str> {
    if cited(answer).iter().any(|cited| is_known(cited, known)) {
        return None;
    }
    let words = |text: &str| plain_words(text).collect::<BTreeSet<String>>();
    let said = words(answer);
    let held: Vec<_> = known.iter().map(|passage| words(&passage.text)).collect();
    let weight = |word: &String| match held.iter().filter(|held| held.contains(word)).count() {
        // What all of them have tells nothing.
        count if count == held.len() && count > 1 => 0.0,
        count => 1.0 / f64::from(u32::try_from(count).unwrap_or(u32::MAX)),
    };
    let shared = held.iter().map(|held| said.intersection(held).map(weight).sum::<f64>());
    let shared: Vec<f64> = shared.collect();
    if shared.iter().all(|shared| *shared <= 0.0) {
        return None;
    }
    // Of two that share as much, the one that was found first is before the other.
    let before = |at: usize, other: usize| {
        shared[other] > shared[at] || (shared[other] >= shared[at] && other < at)
    };
    let by_words = |at: &usize| (0..shared.len()).filter(|other| before(*at, *other)).count();
    let merged = |at: &usize| reciprocal(*at) + reciprocal(by_words(at));
    // Where the two rankings contradict each other, the words decide.
    let order = |a: &usize, b: &usize| {
        merged(a).total_cmp(&merged(b)).then_with(|| by_words(b).cmp(&by_words(a)))
    };
    let best = (0..known.len()).max_by(order)?;
    known.get(best).map(|passage| passage.citation.as_str())
}

/// What a place in a ranking counts, the first being 0 (Cormack, Clarke and Buettcher 2009).
fn reciprocal(rank: usize) -> f64 {
    1.0 / f64::from(u32::try_from(60 + rank).unwrap_or(u32::MAX))
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
    fn an_answer_without_a_citation_has_that_of_the_closest_passage() {
        let pump =
            "The pump has a warranty of 27 months. Turn the valve before the pump is opened.";
        let bike = "The bicycle has a warranty of two years. Turn it in at the shop.";
        let text =
            |citation: &str, text: &str| Passage { text: text.to_owned(), ..passage(citation) };
        let known = [text("[bike.md]", bike), text("[pump.md, Pump]", pump)];
        for (answer, expected) in [
            ("It is 27 months for the pump.", Some("[pump.md, Pump]")),
            ("Two years, at the shop [shop.md].", Some("[bike.md]")),
            ("27 months, says [bike.md].", None),
            ("xylophone", None),
            ("", None),
        ] {
            assert_eq!(closest(answer, &known), expected, "{answer}");
        }
    }

    #[test]
    fn the_passage_that_was_found_first_is_cited_unless_the_answer_stands_nearer_to_another() {
        let named = |name: &str, text: &str| Passage { text: text.to_owned(), ..passage(name) };
        let known = [
            named("[a.md]", "The valve is red."),
            named("[b.md]", "The valve is turned slowly."),
            named("[c.md]", "The gasket is changed slowly each year."),
        ];
        for (answer, expected) in [
            ("The valve.", "[a.md]"),
            ("It is turned slowly.", "[b.md]"),
            ("Slowly, and changed each year.", "[c.md]"),
            // The last shares more, but was found last.
            ("Red, changed.", "[a.md]"),
        ] {
            assert_eq!(closest(answer, &known), Some(expected), "{answer}");
        }
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
