//! What FTS5 is asked: all words first, then pairs of the rarest, then any of the rarest.
//!
//! How long a question to FTS5 takes grows with how many passages hold its words, and the common words of a
//! long question tell little. So the words are asked for rarest first, and common ones only as long as the
//! sum of their passages stays below [`MOST_PASSAGES`].

use super::vocabulary::Weighed;

/// About so many passages are scored for one question; more take longer than a person notices.
const MOST_PASSAGES: u64 = 12_000;

/// A word that more than one passage in so many holds tells nothing by itself.
const COMMON: u64 = 5;

/// How many of the rarest words are asked for in pairs.
const PAIRED: usize = 4;

/// What FTS5 is asked, one question after the other, until there are enough answers. `terms` are the rarest
/// first, and `size` is how many passages there are.
pub(super) fn questions(terms: &[Weighed], size: u64) -> Vec<String> {
    let known: Vec<&Weighed> = terms.iter().filter(|term| term.count > 0).collect();
    let common = |term: &&Weighed| term.count > (size / COMMON).max(1);
    let mut telling: Vec<&Weighed> = known.iter().copied().filter(|term| !common(term)).collect();
    if telling.is_empty() {
        telling.clone_from(&known);
    }
    let mut questions = Vec::new();
    let mut add = |question: String| {
        if !question.is_empty() && !questions.contains(&question) {
            questions.push(question);
        }
    };
    add(joined(&telling, " AND "));
    add(pairs(&telling));
    add(joined(&affordable(&telling), " OR "));
    questions
}

fn joined(terms: &[&Weighed], between: &str) -> String {
    let terms: Vec<String> =
        terms.iter().map(|term| format!("({})", term.term.expression())).collect();
    terms.join(between)
}

fn pairs(terms: &[&Weighed]) -> String {
    let rarest = &terms[..terms.len().min(PAIRED)];
    let mut pairs = Vec::new();
    for (at, first) in rarest.iter().enumerate() {
        for second in &rarest[at + 1..] {
            pairs.push(format!("({})", joined(&[first, second], " AND ")));
        }
    }
    pairs.join(" OR ")
}

/// The rarest of `terms` whose passages are few enough together, and the rarest one in any case.
fn affordable<'a>(terms: &[&'a Weighed]) -> Vec<&'a Weighed> {
    let mut sum = 0_u64;
    let mut affordable = Vec::new();
    for term in terms {
        sum = sum.saturating_add(term.count);
        if sum > MOST_PASSAGES && !affordable.is_empty() {
            break;
        }
        affordable.push(*term);
    }
    affordable
}
