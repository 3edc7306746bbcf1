//! What FTS5 is asked: all words first, then all with the phrases in their parts, then any of the rarest. A phrase that is there
//! counts beside its parts in the last, so what holds it comes before what holds its parts alone.
//!
//! How long a question to FTS5 takes grows with how many passages hold its words, and common words tell the least. So in a large
//! library the words are asked for rarest first, as long as the sum of their passages stays below [`MOST_PASSAGES`].

use super::vocabulary::Weighed;
use crate::query::Term;

/// About so many passages are scored for one question, which takes about 5 ms.
const MOST_PASSAGES: u64 = 10_000;

/// A library with so many passages is small: all words are asked for, which takes about 15 ms at most.
const SMALL: u64 = 30_000;

/// One question to FTS5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    /// Whether what it finds is scored. It is not where that takes too long; then it counts only if it finds few.
    pub(super) is_ranked: bool,
}

/// What FTS5 is asked, one question after the other, until there are enough answers. `terms` are what was asked for, `weighed`
/// are these and their parts, the rarest first, and `size` is how many passages there are.
pub(super) fn questions(terms: &[Term], weighed: &[Weighed], size: u64) -> Vec<Question> {
    let all = |known: &[&Weighed]| Question {
        text: joined(known, " AND "),
        is_ranked: affordable(known, size).len() == known.len(),
    };
    let known: Vec<&Weighed> = weighed.iter().filter(|term| term.count > 0).collect();
    let (mut whole, mut parts) = (known.clone(), known.clone());
    whole.retain(|known| terms.contains(&known.term));
    parts.retain(|known| !known.term.is_phrase());
    let any = Question { text: joined(affordable(&known, size), " OR "), is_ranked: true };
    // The other words are not all when the index does not know a phrase; its parts belong to them.
    if weighed.iter().any(|term| term.count == 0 && term.term.is_phrase()) {
        whole.clear();
    }
    let mut questions = vec![all(&whole), all(&parts), any];
    questions.retain(|question| !question.text.is_empty());
    questions.dedup();
    questions
}

fn joined(terms: &[&Weighed], between: &str) -> String {
    let terms: Vec<String> =
        terms.iter().map(|term| format!("({})", term.term.expression())).collect();
    terms.join(between)
}

/// The rarest of `terms` whose passages are few enough together, and the rarest one in any case; all in a small library.
fn affordable<'a, 'b>(terms: &'b [&'a Weighed], size: u64) -> &'b [&'a Weighed] {
    if size <= SMALL {
        return terms;
    }
    let mut sum = 0_u64;
    let is_affordable = |term: &&&Weighed| {
        sum = sum.saturating_add(term.count);
        sum <= MOST_PASSAGES
    };
    let few = terms.iter().take_while(is_affordable).count();
    &terms[..few.max(1).min(terms.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(counts: &[(&str, u64)], size: u64) -> Vec<(String, bool)> {
        let weighed = |(word, count): &(&str, u64)| Weighed {
            term: Term::Words((*word).to_owned()),
            count: *count,
        };
        let weighed: Vec<Weighed> = counts.iter().map(weighed).collect();
        let terms: Vec<Term> = weighed.iter().map(|weighed| weighed.term.clone()).collect();
        questions(&terms, &weighed, size).into_iter().map(|one| (one.text, one.is_ranked)).collect()
    }

    #[test]
    fn what_takes_too_long_to_score_is_left_out_of_large_libraries_alone() {
        let words = [("fox", 10), ("the", MOST_PASSAGES), ("is", MOST_PASSAGES), ("gone", 0)];
        let all = ("(\"fox\") AND (\"the\") AND (\"is\")".to_owned(), true);
        let any = |text: &str| (text.to_owned(), true);
        assert_eq!(asked(&words, SMALL), [all.clone(), any("(\"fox\") OR (\"the\") OR (\"is\")")]);
        assert_eq!(asked(&words, SMALL + 1), [(all.0, false), any("(\"fox\")")]);
        // One word is one question, and the rarest is asked for in any case.
        assert_eq!(asked(&words[1..2], 10 * SMALL), [any("(\"the\")")]);
        assert_eq!(asked(&words[1..3], 10 * SMALL)[1], any("(\"the\")"));
        assert_eq!(asked(&words[3..], SMALL), []);
    }

    #[test]
    fn a_phrase_is_asked_for_whole_and_then_its_parts_count_with_it() {
        let word = |text: &str, count| Weighed { term: Term::Words(text.to_owned()), count };
        let weighed = [word("re index", 3), word("index", 3), word("file", 5), word("re", 9)];
        let terms = ["re index", "file"].map(|text| Term::Words(text.to_owned()));
        let asked = questions(&terms, &weighed, SMALL).into_iter().map(|one| one.text);
        assert_eq!(
            asked.collect::<Vec<_>>(),
            [
                "(\"re index\") AND (\"file\")",
                "(\"index\") AND (\"file\") AND (\"re\")",
                "(\"re index\") OR (\"index\") OR (\"file\") OR (\"re\")",
            ]
        );
    }
}
