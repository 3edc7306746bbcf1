//! What FTS5 is asked: all words first, then any of the rarest.
//!
//! How long a question to FTS5 takes grows with how many passages hold its words, and the common words of a long question tell
//! little. So the words are asked for rarest first, as long as the sum of their passages stays below [`MOST_PASSAGES`].

use super::vocabulary::Weighed;

/// About so many passages are scored for one question; more take longer than a person notices.
const MOST_PASSAGES: u64 = 30_000;

/// What FTS5 is asked, one question after the other, until there are enough answers. `terms` are the rarest first.
pub(super) fn questions(terms: &[Weighed]) -> Vec<String> {
    let known: Vec<&Weighed> = terms.iter().filter(|term| term.count > 0).collect();
    let affordable = affordable(&known);
    let mut questions = Vec::new();
    // A word that is left out may be the one that nothing holds beside the others.
    if affordable.len() == known.len() {
        questions.push(joined(&known, " AND "));
    }
    questions.push(joined(&affordable, " OR "));
    questions.retain(|question| !question.is_empty());
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
