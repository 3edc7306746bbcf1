//! What stands on the outside of a command: enough to judge whose turn it is, before it is looked at as a whole.

use protocol::{MessageId, Millis, Priority, RESERVED_NAMES};
use serde::Deserialize;
use serde_json::Value;

/// The few fields of a command that decide when it is handed over. What can't be read counts as absent: what is
/// wrong with such a command is said by whoever reads all of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Label {
    pub(super) id: Option<MessageId>,
    pub(super) action: String,
    pub(super) priority: Priority,
    pub(super) deadline: Option<Millis>,
    pub(super) resent: bool,
}

/// The same as it stands there.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    message_id: Value,
    action: Value,
    priority: Value,
    deadline: Value,
    resent: Value,
}

impl Label {
    /// Whether it is a request to the router itself.
    pub(super) fn is_own(&self) -> bool {
        RESERVED_NAMES.contains(&self.action.as_str())
    }

    pub(super) fn read(command: &str) -> Self {
        // A list would be taken for the fields in their order.
        let written =
            if command.starts_with('{') { serde_json::from_str(command).ok() } else { None };
        let written: Written = written.unwrap_or_default();
        let action = written.action.as_str().unwrap_or_default();
        Self {
            id: written.message_id.as_str().and_then(|id| MessageId::new(id).ok()),
            action: action.chars().take(80).collect(),
            priority: serde_json::from_value(written.priority).unwrap_or_default(),
            deadline: written.deadline.as_u64().map(Millis),
            resent: written.resent == Value::Bool(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_is_read_whatever_stands_beside_it() {
        let label = Label::read(
            r#"{"message_id":"m1","action":7,"params":[1],"priority":2,"deadline":5,"resent":true}"#,
        );
        assert_eq!(label.id, MessageId::new("m1").ok());
        assert_eq!((label.action.as_str(), label.priority), ("", Priority::Interactive));
        assert_eq!((label.deadline, label.resent), (Some(Millis(5)), true));
        let label = Label::read(r#"{"message_id":"m1","priority":9,"deadline":"x","resent":1}"#);
        assert_eq!(label.id, MessageId::new("m1").ok());
        assert_eq!((label.priority, label.deadline), (Priority::Normal, None));
        assert!(!label.resent);
    }

    #[test]
    fn an_id_that_stands_twice_is_none() {
        assert_eq!(Label::read(r#"{"message_id":"a","message_id":"b"}"#).id, None);
        assert_eq!(Label::read(r#"["a"]"#).id, None);
    }
}
