//! `/approvals`, `/approve` and `/deny`: the questions that wait, and a person's answers to them.

use crate::channel::Outgoing;
use crate::mind::Mind;
use crate::question::{Choice, Decision, Question};
use crate::session::{Outbox, Session};

/// Reads what stands behind `/approve`: an id, and then in any order `always` and a code.
pub(super) fn read_yes(rest: &str) -> Result<Decision, String> {
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

/// Reads what stands behind `/deny`.
pub(super) fn read_no(rest: &str) -> Result<Decision, String> {
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [id] => Ok(Decision { id: id.to_owned(), choice: Choice::No, code: None }),
        _ => Err("say which: /deny ID; /approvals lists the open questions".to_owned()),
    }
}

/// Shows every question that waits, with the ways to answer it.
pub(super) async fn list(mind: &Mind, session: &Session, outbox: &Outbox) {
    match mind.open_questions(session).await {
        Ok(open) if open.is_empty() => {
            outbox.say(Outgoing::Text("No question waits for an answer.".to_owned()));
        }
        Ok(open) => open.into_iter().for_each(|open| outbox.say(Outgoing::Question(open))),
        Err(stopped) => outbox.say(Outgoing::Notice(stopped.message)),
    }
}

/// Answers the one question whose id begins with that of `decision`.
pub(super) async fn decide(
    mut decision: Decision,
    mind: &Mind,
    session: &mut Session,
    outbox: &Outbox,
) {
    let found = match mind.open_questions(session).await {
        Ok(open) => meant(&decision, &open),
        Err(stopped) => Err(stopped.message),
    };
    match found {
        Ok(id) => {
            decision.id = id;
            mind.answer(session, decision, outbox).await;
        }
        Err(why) => outbox.say(Outgoing::Notice(why)),
    }
}

/// The whole id that is meant.
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
        let id = |text: &str| meant(&read_yes(text).unwrap(), &open);
        assert_eq!(id("b"), Ok("bb33".to_owned()));
        assert_eq!(id("bb33 always"), Ok("bb33".to_owned()));
        assert_eq!(id("aa2 k7qx"), Ok("aa22".to_owned()));
        assert_eq!(read_yes("aa2 k7qx").unwrap().code.as_deref(), Some("K7QX"));
        for wrong in ["a", "zz", "aa1 always", "aa2"] {
            assert!(id(wrong).is_err(), "{wrong}");
        }
        assert_eq!(meant(&read_no("aa2").unwrap(), &open), Ok("aa22".to_owned()));
        for unreadable in ["", "a b c"] {
            assert!(read_yes(unreadable).is_err() && read_no(unreadable).is_err());
        }
    }
}
