//! What the agent says, as programs read it.

use axum::response::sse::Event;
use protocol::SessionKey;
use serde::Serialize;

use crate::channel::Outgoing;
use crate::question::Question;

/// One thing that the agent says. Its `type` is the event's name, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Told {
    /// A message is being answered.
    Begin { from: String, text: String },
    /// A message waits for so many others.
    Queued { ahead: usize },
    /// A message is not taken.
    Refused { message: String },
    /// The agent is at work.
    Working { text: String },
    /// It takes long.
    Waiting { text: String },
    /// A piece of the answer.
    Words { text: String },
    /// An action has ended.
    Action { text: String },
    /// Something about the agent itself.
    Notice { text: String },
    /// A whole text that is no answer of the model.
    Text { text: String },
    /// Somebody is asked whether something may run.
    Question(Asked),
    /// A question is open no more.
    Settled { id: String, text: String },
    /// A picture, by its path.
    Picture { path: String },
    /// A message of the agent's own.
    Broadcast { text: String },
    /// The answer is over.
    End,
    /// So many were said too fast for this reader.
    Missed { count: u64 },
}

/// A question, as it is to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Asked {
    id: String,
    /// Exactly what would run.
    question: String,
    /// The beginning of the digest of what would run.
    digest: Option<String>,
    /// How long it waits.
    seconds: Option<u64>,
    /// A yes needs the code that stands in the question.
    wants_code: bool,
    /// What `always` allows for an hour.
    grant: Option<String>,
}

impl From<&Question> for Asked {
    fn from(question: &Question) -> Self {
        Self {
            id: question.id.clone(),
            question: question.text.clone(),
            digest: question.digest.clone(),
            seconds: question.seconds,
            wants_code: question.wants_code,
            grant: question.grant.clone(),
        }
    }
}

impl From<&Outgoing> for Told {
    fn from(outgoing: &Outgoing) -> Self {
        let own = |text: &String| text.clone();
        match outgoing {
            Outgoing::Begin { from, text, .. } => {
                Self::Begin { from: from.to_string(), text: own(text) }
            }
            Outgoing::Queued { ahead, .. } => Self::Queued { ahead: *ahead },
            Outgoing::Refused { why, .. } => Self::Refused { message: own(why) },
            Outgoing::Working(text) => Self::Working { text: own(text) },
            Outgoing::Waiting(text) => Self::Waiting { text: own(text) },
            Outgoing::Words(text) => Self::Words { text: own(text) },
            Outgoing::Action(text) => Self::Action { text: own(text) },
            Outgoing::Notice(text) => Self::Notice { text: own(text) },
            Outgoing::Text(text) => Self::Text { text: own(text) },
            Outgoing::Question(question) => Self::Question(question.into()),
            Outgoing::Settled { id, how } => Self::Settled { id: own(id), text: own(how) },
            Outgoing::Picture(path) => Self::Picture { path: path.display().to_string() },
            Outgoing::Broadcast(text) => Self::Broadcast { text: own(text) },
            Outgoing::End => Self::End,
        }
    }
}

impl Told {
    /// As a server-sent event.
    pub(super) fn event(&self) -> Event {
        let value = serde_json::to_value(self).unwrap_or_default();
        let name = value.get("type").and_then(|name| name.as_str()).unwrap_or("notice").to_owned();
        Event::default().event(name).data(value.to_string())
    }
}

/// A whole answer.
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
    questions: Vec<Asked>,
    /// The paths of pictures.
    pictures: Vec<String>,
}

impl Answered {
    /// Nothing yet, in this session.
    pub(super) fn of(session: &SessionKey) -> Self {
        Self { session: session.to_string(), ..Self::default() }
    }

    /// Takes in what was said.
    pub(super) fn take(&mut self, outgoing: &Outgoing) {
        match outgoing {
            Outgoing::Words(text) => self.text.push_str(text),
            Outgoing::Text(text) => {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.text.push_str(text);
            }
            Outgoing::Action(line) => self.actions.push(line.clone()),
            Outgoing::Notice(notice) => self.notices.push(notice.clone()),
            Outgoing::Question(question) => self.questions.push(question.into()),
            Outgoing::Picture(path) => self.pictures.push(path.display().to_string()),
            Outgoing::Begin { .. }
            | Outgoing::Queued { .. }
            | Outgoing::Refused { .. }
            | Outgoing::Working(_)
            | Outgoing::Waiting(_)
            | Outgoing::Settled { .. }
            | Outgoing::Broadcast(_)
            | Outgoing::End => {}
        }
    }
}
