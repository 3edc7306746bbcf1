//! `/approve [ID] [CODE] [always [5x] [2h]]` and `/deny [ID]`: answer a question.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::question::{Choice, Decision};
use protocol::GrantTerms;

use super::perform::{At, Perform, Read};
use crate::answering;

#[derive(Debug)]
struct Answer(Decision);

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(Answer(decision(rest)?)))
}

pub(super) fn read_deny(rest: &str) -> Read {
    let id = match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [] => "",
        [id] => id,
        _ => return Err("say /deny or /deny ID; /approvals lists the open questions".to_owned()),
    };
    Ok(Arc::new(Answer(Decision { id: id.to_owned(), choice: Choice::No, code: None })))
}

/// An id, which may be missing, and then in any order a code and `always`, behind which stands how often and how long.
fn decision(rest: &str) -> Result<Decision, String> {
    let mut decision = Decision { id: String::new(), choice: Choice::Yes, code: None };
    let mut terms = Vec::new();
    for (at, word) in rest.split_whitespace().enumerate() {
        if word.eq_ignore_ascii_case("always") && decision.choice == Choice::Yes {
            decision.choice = Choice::ALWAYS;
        } else if decision.choice == Choice::ALWAYS && is_term(word) {
            terms.push(word);
        } else if at == 0 {
            word.clone_into(&mut decision.id);
        } else if decision.code.is_none() {
            decision.code = Some(word.to_ascii_uppercase());
        } else {
            return Err("say /approve, /approve ID, /approve ID CODE or /approve ID always 5x 2h"
                .to_owned());
        }
    }
    if decision.choice == Choice::ALWAYS {
        let terms = GrantTerms::read(terms).map_err(|error| error.to_string())?;
        decision.choice = Choice::Always(terms);
    }
    Ok(decision)
}

/// Whether it begins with a number and ends with one letter: a code has four letters and digits, and what wants one is allowed
/// for no while.
fn is_term(word: &str) -> bool {
    let number = word.trim_end_matches(char::is_alphabetic);
    word.len() == number.len() + 1 && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[async_trait]
impl Perform for Answer {
    async fn perform(&self, at: At<'_>) {
        answering::answer_typed(at.session, at.mind, self.0.clone(), at.outbox).await;
    }

    fn answers(&self) -> Option<&Decision> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_counts_in_any_case_and_too_many_words_do_not() {
        assert_eq!(decision("aa2 k7qx").unwrap().code.as_deref(), Some("K7QX"));
        assert_eq!(decision("aa2 Always").unwrap().choice, Choice::ALWAYS);
        let terms = GrantTerms::read(["5x", "2h"]).unwrap();
        for typed in ["aa2 always 5x 2h", "aa2 always 2h 5X"] {
            assert_eq!(decision(typed).unwrap().choice, Choice::Always(terms), "{typed}");
        }
        assert!(decision("aa2 always 1x").unwrap_err().contains("say yes"));
        let only = decision("always k7qx").unwrap();
        assert_eq!((only.id.as_str(), only.code.as_deref()), ("", Some("K7QX")));
        assert!(decision("a b c").is_err());
    }

    #[test]
    fn one_question_is_denied_at_a_time() {
        assert_eq!(read_deny("aa2").unwrap().answers().unwrap().id, "aa2");
        assert_eq!(read_deny("").unwrap().answers().unwrap().choice, Choice::No);
        assert!(read_deny("a b").is_err());
    }
}
