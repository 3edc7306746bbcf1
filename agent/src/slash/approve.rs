//! `/approve [ID] [CODE] [always]`: says yes to a question.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use crate::question::{Choice, Decision};

#[derive(Debug)]
struct Approve(Decision);

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(Approve(decision(rest)?)))
}

/// An id, which may be missing, and then in any order `always` and a code.
fn decision(rest: &str) -> Result<Decision, String> {
    let mut decision = Decision { id: String::new(), choice: Choice::Yes, code: None };
    for (at, word) in rest.split_whitespace().enumerate() {
        if word.eq_ignore_ascii_case("always") && decision.choice == Choice::Yes {
            decision.choice = Choice::Always;
        } else if at == 0 {
            word.clone_into(&mut decision.id);
        } else if decision.code.is_none() {
            decision.code = Some(word.to_ascii_uppercase());
        } else {
            return Err(
                "say /approve, /approve ID, /approve ID CODE or /approve ID always".to_owned()
            );
        }
    }
    Ok(decision)
}

#[async_trait]
impl Perform for Approve {
    async fn perform(&self, at: At<'_>) {
        at.session.answer_typed(at.mind, self.0.clone(), at.outbox).await;
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
        assert_eq!(decision("aa2 Always").unwrap().choice, Choice::Always);
        let only = decision("always k7qx").unwrap();
        assert_eq!((only.id.as_str(), only.code.as_deref()), ("", Some("K7QX")));
        assert!(decision("a b c").is_err());
    }
}
