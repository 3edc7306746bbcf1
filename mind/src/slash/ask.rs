//! `/ask QUESTION`: an answer from the library, with citations.

use std::sync::Arc;

use async_trait::async_trait;
use prompt::{Passage, Passages, closest, made_up};

use super::perform::{At, Perform, Read};
use super::{library, search};
use crate::turn::Turn;

#[derive(Debug)]
struct Question(String);

pub(super) fn read(rest: &str) -> Read {
    match rest.trim() {
        "" => Err("say what you want to know: /ask QUESTION".to_owned()),
        question => Ok(Arc::new(Question(question.to_owned()))),
    }
}

#[async_trait]
impl Perform for Question {
    async fn perform(&self, mut at: At<'_>) {
        let (reception, key) = (&at.mind.reception, &at.session.key);
        if reception.is_customer(key) && reception.escalates(at.typed) {
            return at.session.hand_over(reception, &self.0, at.outbox);
        }
        let found = match library::search(&mut at, &self.0).await {
            Ok(found) => found,
            Err(why) => return at.notice(why),
        };
        let passages = Passage::of_hits(&found);
        if passages.is_empty() {
            // No model is asked: it would make something up.
            return at.text("No matching documents found.");
        }
        at.session.speaks_as_chosen(&at.mind.cast.roster());
        at.session.known = Passages { found: passages, told: None };
        let turn = Turn { mind: at.mind, session: &mut *at.session, outbox: at.outbox };
        turn.run(&self.0).await;
        let known = std::mem::take(&mut at.session.known);
        if at.session.failure.is_some() {
            // Without a model the passages are still an answer.
            return at.text(search::listed(&found));
        }
        let history = at.session.files.history.read();
        let answer = history.entries().last().map(|entry| entry.response.as_str());
        let answer = answer.unwrap_or_default();
        if let Some(citation) = closest(answer, &known.found) {
            at.text(format!("The closest passage: {citation}"));
        }
        let made_up = made_up(answer, &known.found);
        if !made_up.is_empty() {
            at.remark(format!("not among the passages that were found: {}", made_up.join(" ")));
        }
    }
}
