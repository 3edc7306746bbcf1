//! What people do beside having commands run: stop and resume, answer, grant, take back, trust, forget.
//!
//! A row is written before each deed, and another one if it came to nothing.

use std::path::Path;

use protocol::{ActionName, Millis, Object};
use serde::Serialize;
use serde_json::Value;

use crate::digest::Digest;
use crate::policy::Grant;
use crate::policy::approval::{Answer, Parked};
use crate::session_key::key_of;

/// One thing that a person does, as its row says it.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "deed", rename_all = "snake_case")]
pub(crate) enum Deed<'a> {
    /// Throws the kill switch.
    Stop,
    /// Puts it back.
    Resume,
    /// Lets a stopped session go on.
    ResumeSession {
        /// Its key.
        session: &'a str,
    },
    /// Has a session forgotten.
    ForgetSession {
        /// Its key.
        session: &'a str,
    },
    /// Opens a folder for a session's workbench.
    OpenFolder {
        /// The folder.
        folder: &'a Path,
        /// The session.
        session: &'a str,
    },
    /// Closes it.
    CloseFolder {
        /// The folder.
        folder: &'a Path,
        /// The session.
        session: &'a str,
    },
    /// Puts a folder back as it was before a task.
    Undo {
        /// The folder.
        folder: &'a Path,
        /// The session.
        session: &'a str,
    },
    /// Answers a question.
    Answer {
        /// Its id.
        question: &'a str,
        /// `yes`, `no` or `always`.
        answer: &'static str,
        /// What the answer is bound to, where whoever answers has seen it.
        #[serde(skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
        /// The session that asked.
        session: &'a str,
        /// What it asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        action: Option<&'a ActionName>,
    },
    /// Types the PIN.
    Pin {
        /// The id of the question that asked for it.
        question: &'a str,
        /// The session in which it was typed.
        session: &'a str,
        /// `right`, `wrong` or `locked`.
        was: &'static str,
    },
    /// Sets a PIN, or another one.
    SetPin,
    /// Takes the PIN away.
    RemovePin,
    /// Unlocks the PIN that was typed wrong too often.
    UnlockPin,
    /// Allows something for a while.
    Grant(Given<'a>),
    /// Takes that back.
    Revoke(Given<'a>),
    /// Says yes to a skill as it is now.
    Trust {
        /// Its action.
        action: &'a ActionName,
        /// SHA-256 of its files.
        digest: Digest,
    },
    /// Has a command of the dead letters sent again.
    Retry {
        /// Its id, or the letter's.
        target: String,
    },
    /// Takes a command back, or throws dead letters away.
    Drop {
        /// Its id, or a letter's.
        target: String,
    },
}

/// A grant in a row.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Given<'a> {
    /// Its id.
    grant: &'a str,
    /// What it allows, in words.
    scope: String,
    /// When it ends.
    until: Millis,
    /// Whose calls it allows; nothing for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    /// What it allows.
    action: &'a ActionName,
}

/// By which way a deed comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A person's channel, as the agent says.
    Channel,
    /// The command line on the router's own side.
    CommandLine,
    /// The router's window.
    Window,
}

impl<'a> Deed<'a> {
    /// An answer in `session`, whatever question has its id.
    pub(crate) fn answer(answer: &'a Answer, session: &'a str) -> Self {
        let (question, answer) = (&*answer.id, answer.word());
        Self::Answer { question, answer, digest: None, session, action: None }
    }

    /// An answer to what is `parked`.
    pub(crate) fn answer_to(parked: &'a Parked, answer: &'a Answer) -> Self {
        let Parked { command, digest, .. } = parked;
        let (session, action) = (key_of(command), Some(&command.action));
        let (question, answer) = (&*answer.id, answer.word());
        Self::Answer { question, answer, digest: Some(*digest), session, action }
    }

    /// A row that says who does it, and by which way; and, where it came to nothing, why.
    pub(super) fn row(
        &self,
        by: Option<&str>,
        way: Way,
        at: Millis,
        failed: Option<&str>,
    ) -> Object {
        let way = match way {
            Way::Channel => "channel",
            Way::CommandLine => "cli",
            Way::Window => "window",
        };
        let mut row = Object::from_iter([
            ("row".to_owned(), "deed".into()),
            ("at".to_owned(), at.0.into()),
            ("by".to_owned(), by.into()),
            ("way".to_owned(), way.into()),
        ]);
        // Texts and numbers always have a JSON form.
        if let Ok(Value::Object(fields)) = serde_json::to_value(self) {
            row.extend(fields);
        }
        row.extend(failed.map(|why| ("failed".to_owned(), why.into())));
        row
    }
}

impl<'a> From<&'a Grant> for Given<'a> {
    fn from(grant: &'a Grant) -> Self {
        let Grant { id, scope, until, .. } = grant;
        let session = scope.session.as_ref().map(|session| session.as_str());
        Self { grant: id, until: *until, session, action: &scope.action, scope: scope.to_string() }
    }
}
