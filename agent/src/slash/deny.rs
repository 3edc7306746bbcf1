//! `/deny ID`: says no to a question.

use std::sync::Arc;

use async_trait::async_trait;

use super::approvals::decide;
use super::perform::{At, Perform, Read};
use crate::question::{Choice, Decision};

#[derive(Debug)]
struct Deny(Decision);

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(Deny(decision(rest)?)))
}

/// One id.
pub(super) fn decision(rest: &str) -> Result<Decision, String> {
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [id] => Ok(Decision { id: id.to_owned(), choice: Choice::No, code: None }),
        _ => Err("say which: /deny ID; /approvals lists the open questions".to_owned()),
    }
}

#[async_trait]
impl Perform for Deny {
    async fn perform(&self, at: At<'_>) {
        decide(self.0.clone(), at).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_is_denied_at_a_time() {
        assert_eq!(decision("aa2").unwrap().choice, Choice::No);
        for wrong in ["", "a b c"] {
            assert!(decision(wrong).is_err(), "{wrong}");
        }
    }
}
