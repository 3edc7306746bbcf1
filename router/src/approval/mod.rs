//! Calls that wait for a person.
//!
//! A question is parked under a random id and answered once: whoever takes it out is the only one who has
//! it. What runs after a yes is the parked call itself, not what anybody says later.

mod yes;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use protocol::{Code, Command, SessionKey, Stopped};
use serde_json::{Value, json};
use uuid::Uuid;

pub use yes::Yes;

use crate::policy::Question;

/// How long a question waits. No answer is a no.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// How many questions of one session may wait.
const MOST_PER_SESSION: usize = 3;

/// How many questions may wait in all: whoever asks also names the session.
const MOST: usize = 64;

/// The longest question, in bytes: nobody reads more than that before saying yes.
const QUESTION: usize = 64 * 1024;

/// The questions that wait.
#[derive(Debug, Default)]
pub struct Approvals {
    parked: Mutex<HashMap<Uuid, Question>>,
}

/// A question with its answer.
#[derive(Debug)]
pub enum Answered {
    /// It may run.
    Yes(Question, Yes),
    /// It may not.
    No(Question),
}

impl Approvals {
    /// Parks `question`, and gives its id and the reply `pending` that shows exactly what would run.
    ///
    /// # Errors
    /// `budget` when too many questions are open, `too_large` when nobody could read this one.
    pub fn park(&self, question: Question) -> Result<(Uuid, Stopped), Stopped> {
        let mut parked = self.parked();
        let session = &question.call().command.envelope.session;
        let waiting = parked
            .values()
            .filter(|other| other.call().command.envelope.session == *session)
            .count();
        if waiting >= MOST_PER_SESSION || parked.len() >= MOST {
            return Err(Stopped::new(
                Code::Budget,
                format!("{waiting} questions wait for a yes or no already; answer them first"),
            ));
        }
        let id = Uuid::new_v4();
        let shown = shown(&question);
        if shown.len() > QUESTION {
            let size = shown.len();
            return Err(Stopped::new(
                Code::TooLarge,
                format!("a person would have to read {size} bytes; at most {QUESTION} are asked"),
            ));
        }
        let pending = Stopped::new(Code::Approval, "it waits for a person's yes").with(
            "approval",
            json!({"id": id.to_string(), "question": shown, "seconds": PATIENCE.as_secs()}),
        );
        parked.insert(id, question);
        Ok((id, pending))
    }

    /// Takes the question that `command` answers: `{"id": ..., "answer": "yes" | "no"}`.
    ///
    /// # Errors
    /// `bad_params`, or `owner` when nobody signs the answer or another session asked.
    pub fn answer(&self, command: &Command) -> Result<Answered, Stopped> {
        let bad = |why: &str| Stopped::new(Code::BadParams, why);
        let text = |key: &str| command.params.get(key).and_then(Value::as_str);
        let id = text("id")
            .and_then(|id| Uuid::parse_str(id).ok())
            .ok_or_else(|| bad("id: it is the id of a question"))?;
        let yes = match text("answer") {
            Some("yes") => true,
            Some("no") => false,
            _ => return Err(bad("answer: it is \"yes\" or \"no\"")),
        };
        let principal = command
            .envelope
            .principal
            .clone()
            .ok_or_else(|| Stopped::new(Code::Owner, "nobody is named who answers"))?;
        let question = self.take(id, command.envelope.session.as_ref())?;
        Ok(if yes { Answered::Yes(question, Yes::of(principal)) } else { Answered::No(question) })
    }

    /// Waits until the question's time is up, and takes it if it still waits.
    pub async fn expired(&self, id: Uuid) -> Option<Question> {
        tokio::time::sleep(PATIENCE).await;
        self.parked().remove(&id)
    }

    fn take(&self, id: Uuid, session: Option<&SessionKey>) -> Result<Question, Stopped> {
        let mut parked = self.parked();
        let asked_by = parked
            .get(&id)
            .map(|question| question.call().command.envelope.session.clone())
            .ok_or_else(|| Stopped::new(Code::BadParams, "no such question waits any more"))?;
        if asked_by.as_ref() != session {
            return Err(Stopped::new(Code::Owner, "another session asked this question"));
        }
        parked.remove(&id).ok_or_else(|| Stopped::new(Code::Internal, "the question is gone"))
    }

    // A std mutex, because it is never held across an await. Poisoned, the map is still whole.
    fn parked(&self) -> MutexGuard<'_, HashMap<Uuid, Question>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The call as a person should see it: made here, from the parameters alone, never by the model. Whatever
/// is not plain ASCII is escaped, so that nothing looks like something else.
fn shown(question: &Question) -> String {
    let call = question.call();
    // A map of JSON values always has a JSON form.
    let params = serde_json::to_string_pretty(&call.command.params).unwrap_or_default();
    format!("{} {params}", call.skill.name()).chars().map(escaped).collect()
}

fn escaped(c: char) -> String {
    let is_plain = c == '\n' || c == ' ' || c.is_ascii_graphic();
    if is_plain { c.to_string() } else { c.escape_unicode().to_string() }
}
