//! What FTS5 is asked: all words first, then any of the rarest.
//!
//! How long a question to FTS5 takes grows with how many passages hold its words, and common words tell the least. So in a large
//! library the words are asked for rarest first, as long as the sum of their passages stays below [`MOST_PASSAGES`].

use super::vocabulary::Weighed;

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

/// What FTS5 is asked, one question after the other, until there are enough answers. `terms` are the rarest first, and `size` is
/// how many passages there are.
pub(super) fn questions(terms: &[Weighed], size: u64) -> Vec<Question> {
    let known: Vec<&Weighed> = terms.iter().filter(|term| term.count > 0).collect();
    let affordable = if size <= SMALL { known.clone() } else { affordable(&known) };
    let all =
        Question { text: joined(&known, " AND "), is_ranked: affordable.len() == known.len() };
    let any = Question { text: joined(&affordable, " OR "), is_ranked: true };
    let mut questions = vec![all, any];
    questions.retain(|question| !question.text.is_empty());
    questions.dedup();
    questions
}

fn joined(terms: &[&Weighed], between: &str) -> String {
    let terms: Vec<String> =
        terms.iter().map(|term| format!("({})", term.term.expression())).collect();
    terms.join(between)
}

/// The rarest of `terms` whose passages are few enough together, and the rarest one in any case.
fn affordable<'a>(terms: &[&'a Weighed]) -> Vec<&'a Weighed> {
    let mut sum = 0_u64;
    let is_affordable = |term: &&&Weighed| {
        sum = sum.saturating_add(term.count);
        sum <= MOST_PASSAGES
    };
    let few = terms.iter().take_while(is_affordable).count();
    terms[..few.max(1).min(terms.len())].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Term;

    fn asked(counts: &[(&str, u64)], size: u64) -> Vec<(String, bool)> {
        let weighed = |(word, count): &(&str, u64)| Weighed {
            term: Term::Words((*word).to_owned()),
            count: *count,
        };
        let terms: Vec<Weighed> = counts.iter().map(weighed).collect();
        questions(&terms, size).into_iter().map(|one| (one.text, one.is_ranked)).collect()
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
}
