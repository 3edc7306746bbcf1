//! One line of a journal.

use answer::sanitize::one_line;
use protocol::{Millis, Taint};
use serde::{Deserialize, Serialize};

/// Something that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEvent {
    /// When, in milliseconds since 1970 by this machine's clock.
    pub at: Millis,
    /// What kind of speaker it came from.
    pub role: Role,
    /// Who: a principal such as `console:owner`, the name of a persona, of an action, or of the model that has answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// The words; of an action, the line that people saw; of a [`Role::Clear`], the number under which the conversation before
    /// it was put away.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The trust bits of the session once this had come in.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub bits: Taint,
}

/// The kind of speaker of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person.
    User,
    /// The agent.
    Assistant,
    /// The end of an action.
    Action,
    /// A job that came due.
    Clock,
    /// Another persona.
    Persona,
    /// A program.
    Program,
    /// A person started afresh: what stands before is not shown to a model again.
    Clear,
}

impl Role {
    /// The word for it in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Action => "action",
            Self::Clock => "clock",
            Self::Persona => "persona",
            Self::Program => "program",
            Self::Clear => "clear",
        }
    }
}

impl JournalEvent {
    /// It as one line of JSON, with its end.
    pub(super) fn line(&self) -> String {
        // Texts and numbers always have a JSON form.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// The number under which the conversation before it was put away; `None` if it was forgotten.
    #[must_use]
    pub fn put_away(&self) -> Option<u64> {
        self.text.parse().ok().filter(|_| self.role == Role::Clear)
    }

    /// Reads one line; `None` if it is no event.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// How long a title is that nobody has written, in characters.
const TITLE: usize = 60;

/// What people know a conversation by in which this was said: the first message, on one line.
#[must_use]
pub fn title(events: &[JournalEvent]) -> String {
    let said = events.iter().find(|event| event.role == Role::User);
    let said = one_line(said.map_or("", |event| event.text.as_str()));
    let short: String = said.chars().take(TITLE).collect();
    if short.len() < said.len() { format!("{}…", short.trim_end()) } else { short }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(text: &str) -> JournalEvent {
        JournalEvent {
            at: Millis(1_700_000_000_000),
            role: Role::User,
            from: "console:owner".to_owned(),
            text: text.to_owned(),
            bits: Taint { untrusted: true, private: false },
        }
    }

    #[test]
    fn an_event_on_the_disk() {
        insta::assert_snapshot!(event("hi\nthere").line(), @r#"{"at":1700000000000,"role":"user","from":"console:owner","text":"hi\nthere","bits":"T"}"#);
        let bare = r#"{"at":1,"role":"clear"}"#;
        assert_eq!(JournalEvent::read(bare).unwrap().line().trim_end(), bare);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(text in any::<String>(), from in any::<String>()) {
            let event = JournalEvent { from, ..event(&text) };
            let line = event.line();
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(JournalEvent::read(&line), Some(event));
        }

        #[test]
        fn no_line_is_a_panic(line in any::<String>()) {
            let _ = JournalEvent::read(&line);
        }

        #[test]
        fn half_a_line_is_no_event(text in any::<String>(), keep in 0.0..1.0f64) {
            let line = event(&text).line();
            let cut = line.floor_char_boundary((line.len() as f64 * keep) as usize);
            prop_assume!(cut + 1 < line.len());
            prop_assert_eq!(JournalEvent::read(&line[..cut]), None);
        }
    }
}
