//! `/approvals`: shows the questions that wait, with the ways to answer them.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use crate::message::Outgoing;
use crate::question::{Choice, Decision, Question};

#[derive(Debug)]
struct ShowApprovals;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(ShowApprovals))
}

#[async_trait]
impl Perform for ShowApprovals {
    async fn perform(&self, at: At<'_>) {
        match at.session.open_questions(at.mind).await {
            Ok(open) if open.is_empty() => at.text("No question waits for an answer."),
            Ok(open) => open.into_iter().for_each(|open| at.outbox.say(Outgoing::Question(open))),
            Err(stopped) => at.notice(stopped.message),
        }
    }
}

/// Answers the one question whose id begins with that of `decision`.
pub(super) async fn decide(mut decision: Decision, at: At<'_>) {
    let found = match at.session.open_questions(at.mind).await {
        Ok(open) => meant(&decision, &open),
        Err(stopped) => Err(stopped.message),
    };
    match found {
        Ok(id) => {
            decision.id = id;
            at.session.answer(at.mind, decision, at.outbox).await;
        }
        Err(why) => at.notice(why),
    }
}

/// The whole id of the question that is meant.
fn meant(decision: &Decision, open: &[Question]) -> Result<String, String> {
    let ids = || open.iter().filter(|question| question.id.starts_with(&decision.id));
    let question = match (ids().next(), ids().count()) {
        (Some(question), 1) => question,
        (None, _) => {
            let waiting: Vec<&str> = open.iter().map(Question::short).collect();
            let waiting = if waiting.is_empty() { "none waits".into() } else { waiting.join(", ") };
            return Err(format!("no open question begins with {:?}: {waiting}", decision.id));
        }
        (_, count) => {
            return Err(format!("{count} open questions begin with {:?}; say more", decision.id));
        }
    };
    match decision.choice {
        Choice::Always if question.grant.is_none() => {
            Err("always is not offered for this question; answer yes or no".to_owned())
        }
        Choice::Yes | Choice::Always if question.wants_code && decision.code.is_none() => {
            let short = question.short();
            Err(format!("this one wants the code that stands in it: /approve {short} CODE"))
        }
        _ => Ok(question.id.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{approve, deny};
    use super::*;

    #[test]
    fn an_answer_is_meant_for_one_question_and_fits_it() {
        let open: Vec<Question> = [
            json!({"id": "aa11", "question": "A"}),
            json!({"id": "aa22", "question": "B", "code": true}),
            json!({"id": "bb33", "question": "C", "grant": "C to X"}),
        ]
        .iter()
        .filter_map(Question::read)
        .collect();
        let yes = |text: &str| approve::decision(text).unwrap();
        let id = |text: &str| meant(&yes(text), &open);
        assert_eq!(id("b"), Ok("bb33".to_owned()));
        assert_eq!(id("bb33 always"), Ok("bb33".to_owned()));
        assert_eq!(id("aa2 k7qx"), Ok("aa22".to_owned()));
        for wrong in ["a", "zz", "aa1 always", "aa2"] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
        assert_eq!(meant(&deny::decision("aa2").unwrap(), &open), Ok("aa22".to_owned()));
    }
}
