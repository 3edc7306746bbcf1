//! `/approve ID [CODE] [always]`: says yes to a question.

use std::sync::Arc;

use async_trait::async_trait;

use super::approvals::decide;
use super::perform::{At, Perform, Read};
use crate::question::{Choice, Decision};

#[derive(Debug)]
struct Approve(Decision);

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(Approve(decision(rest)?)))
}

/// An id, and then in any order `always` and a code.
pub(super) fn decision(rest: &str) -> Result<Decision, String> {
    let usage = || "say which: /approve ID, /approve ID CODE or /approve ID always".to_owned();
    let mut words = rest.split_whitespace();
    let id = words.next().ok_or_else(usage)?.to_owned();
    let mut decision = Decision { id, choice: Choice::Yes, code: None };
    for word in words {
        if word.eq_ignore_ascii_case("always") && decision.choice == Choice::Yes {
            decision.choice = Choice::Always;
        } else if decision.code.is_none() {
            decision.code = Some(word.to_ascii_uppercase());
        } else {
            return Err(usage());
        }
    }
    Ok(decision)
}

#[async_trait]
impl Perform for Approve {
    async fn perform(&self, at: At<'_>) {
        decide(self.0.clone(), at).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_counts_in_any_case_and_too_many_words_do_not() {
        assert_eq!(decision("aa2 k7qx").unwrap().code.as_deref(), Some("K7QX"));
        assert_eq!(decision("aa2 Always").unwrap().choice, Choice::Always);
        for wrong in ["", "a b c"] {
            assert!(decision(wrong).is_err(), "{wrong}");
        }
    }
}
