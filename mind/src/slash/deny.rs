//! `/deny [ID]`: says no to a question.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use crate::answering;
use conversation::question::{Choice, Decision};

#[derive(Debug)]
struct Deny(Decision);

pub(super) fn read(rest: &str) -> Read {
    let id = match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [] => "",
        [id] => id,
        _ => return Err("say /deny or /deny ID; /approvals lists the open questions".to_owned()),
    };
    Ok(Arc::new(Deny(Decision { id: id.to_owned(), choice: Choice::No, code: None })))
}

#[async_trait]
impl Perform for Deny {
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
    fn one_question_is_denied_at_a_time() {
        assert_eq!(read("aa2").unwrap().answers().unwrap().id, "aa2");
        assert_eq!(read("").unwrap().answers().unwrap().choice, Choice::No);
        assert!(read("a b").is_err());
    }
}
