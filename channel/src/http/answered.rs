//! A whole answer, as programs read it.

use conversation::question::Question;
use protocol::SessionKey;
use serde::Serialize;

use super::listener::{Ear, Next};
use super::refusal::Refusal;
use super::told::What;
use crate::Outgoing;

/// All that was said in answer to one message.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Answered {
    /// The session that it was said in.
    session: String,
    /// What was said.
    text: String,
    /// One line for each action, with its outcome.
    actions: Vec<String>,
    /// What the agent says of itself, such as why there is no answer.
    notices: Vec<String>,
    /// What waits for a person's word.
    questions: Vec<Question>,
    /// The paths of pictures.
    pictures: Vec<String>,
    /// The paths of files that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// An action has ended since something was said.
    #[serde(skip)]
    is_interrupted: bool,
}

impl Answered {
    /// Waits for the end of the answer that `ear` hears.
    pub(super) async fn heard_by(mut ear: Ear) -> Result<Self, Refusal> {
        let mut answered = Self::of(ear.session());
        loop {
            match ear.next().await {
                Next::Said(told) => match &told.what {
                    What::Says(Outgoing::End) => return Ok(answered),
                    What::Says(Outgoing::Aside { text, .. }) => {
                        answered.text.push_str(text);
                        return Ok(answered);
                    }
                    What::Says(Outgoing::Refused { why, .. }) => {
                        return Err(Refusal::Busy(why.clone()));
                    }
                    What::Says(other) => answered.take(other),
                    What::Sent { .. } | What::Wrote(_) => {}
                },
                Next::Missed => return Err(Refusal::Missed),
                Next::Over => return Err(Refusal::Over),
            }
        }
    }

    /// Nothing yet, in this session.
    fn of(session: &SessionKey) -> Self {
        Self { session: session.to_string(), ..Self::default() }
    }

    /// Takes in what was said.
    fn take(&mut self, outgoing: &Outgoing) {
        match outgoing {
            Outgoing::Words(text) => {
                if std::mem::take(&mut self.is_interrupted) && !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
                self.text.push_str(text);
            }
            Outgoing::Text(text) => {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.text.push_str(text);
            }
            Outgoing::Action(ended) => {
                // What is said after it is another paragraph.
                self.is_interrupted = !self.text.is_empty();
                self.actions.push(ended.line.clone());
            }
            Outgoing::Notice(notice) => self.notices.push(notice.clone()),
            Outgoing::Question(question) => self.questions.push(question.clone()),
            Outgoing::File(path) => self.files.push(path.display().to_string()),
            Outgoing::Picture(path) => self.pictures.push(path.display().to_string()),
            Outgoing::Begin { .. }
            | Outgoing::Queued { .. }
            | Outgoing::Refused { .. }
            | Outgoing::Aside { .. }
            | Outgoing::Working(_)
            | Outgoing::Waiting(_)
            | Outgoing::Settled { .. }
            | Outgoing::Broadcast { .. }
            | Outgoing::Reminder { .. }
            | Outgoing::Failed
            | Outgoing::Switched
            | Outgoing::End => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::http::hub::Floor;
    use crate::http::listener::{Listener, Wanted};
    use crate::http::told::Told;

    #[test]
    fn what_is_said_after_an_action_stands_on_a_line_of_its_own() {
        let mut answered = Answered::default();
        let action = protocol::ActionName::new("LOOK").unwrap();
        let (line, status) = ("LOOK: ok".to_owned(), protocol::Status::Ok);
        let ended = conversation::message::ActionLine { action, status, told: line.clone(), line };
        for said in [
            Outgoing::Words("I look".to_owned()),
            Outgoing::Words(".".to_owned()),
            Outgoing::Action(ended),
            Outgoing::Words("Done ".to_owned()),
            Outgoing::Words("with it.".to_owned()),
        ] {
            answered.take(&said);
        }
        assert_eq!(answered.text, "I look.\nDone with it.");
    }

    #[tokio::test]
    async fn an_answer_with_a_gap_is_an_error() {
        let session = SessionKey::new("owner").unwrap();
        let (mut listener, ear) = Listener::new(1, Wanted::All, session, Floor::default());
        let what = What::Says(Outgoing::Words("x".to_owned()));
        let words = Arc::new(Told { id: 1, at: protocol::Millis(1), what });
        while listener.hear(&words) {}
        drop(listener);
        assert_eq!(Answered::heard_by(ear).await, Err(Refusal::Missed));
    }
}
