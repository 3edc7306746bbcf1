//! What the agent asks of the router.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    ActionName, Code, MessageId, Millis, Object, OwnWords, Principal, SessionKey, Stopped, Taint,
    WIRE_VERSION, json,
};

/// How many of the URLs that a person typed a command carries at most.
pub const TYPED_MOST: usize = 16;

/// How long each of them is at most, in characters.
pub const TYPED_LONGEST: usize = 2_048;

/// How long what a person typed for one message is at most, in characters; of a longer message a command carries nothing.
pub const SAID_LONGEST: usize = 4_096;

/// How urgent a command is. Absent on the wire means normal.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub enum Priority {
    /// 0: nobody waits for it.
    Background,
    /// 1.
    #[default]
    Normal,
    /// 2: a person waits for it.
    Interactive,
}

impl From<Priority> for u8 {
    fn from(priority: Priority) -> u8 {
        priority as u8
    }
}

impl TryFrom<u8> for Priority {
    type Error = String;
    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            0 => Ok(Self::Background),
            1 => Ok(Self::Normal),
            2 => Ok(Self::Interactive),
            _ => Err(format!("{number} is no priority: 0, 1 or 2")),
        }
    }
}

/// One request of the agent to the router.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// Its id, and the idempotency key of what it asks for.
    pub message_id: MessageId,
    /// The action to run.
    pub action: ActionName,
    /// The action's parameters.
    pub params: Object,
    /// What the first SafeClaw did not send.
    #[serde(flatten)]
    pub envelope: Envelope,
}

/// The optional part of a [`Command`]; a field that is absent means the first version's behaviour.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Envelope {
    /// The version of the wire: 2, or absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v: Option<u32>,
    /// The conversation that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionKey>,
    /// The person who asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
    /// When it was put on the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at: Option<Millis>,
    /// When it is too late to begin, and to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Millis>,
    /// How urgent it is.
    #[serde(skip_serializing_if = "is_default")]
    pub priority: Priority,
    /// What the agent says has entered the session. It may raise a bit at the router, never clear one.
    #[serde(skip_serializing_if = "is_default")]
    pub taint: Taint,
    /// The URLs that the person typed in this session, newest last: at most [`TYPED_MOST`] of at most
    /// [`TYPED_LONGEST`] characters. A claim like `taint`: what it may open is the policy's to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub typed: Vec<String>,
    /// What the person typed for the message that this belongs to, word for word, at most [`SAID_LONGEST`] characters;
    /// absent when nobody typed anything. What stands in it is the person's own order, by the router's judgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Names in it, with what the person's own memory says that they stand for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// When a person last began afresh in this session; absent when nobody has. The router keeps an account of its own
    /// for what comes after, because nothing of what came before is in the conversation any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<Millis>,
    /// When the message came that this belongs to, by the agent's clock: commands with the same time are one task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Millis>,
    /// Sent before under the same id, and nobody knows what became of that: it may have been begun.
    #[serde(skip_serializing_if = "is_default")]
    pub resent: bool,
    /// The key that signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// The signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mac: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Envelope {
    /// An envelope of this version with nothing in it.
    #[must_use]
    pub fn current() -> Self {
        Self { v: Some(WIRE_VERSION), ..Self::default() }
    }
}

/// Bytes from the queue that are no command, with what could be read of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Malformed {
    /// The id to answer to, if one can be read.
    pub message_id: Option<MessageId>,
    /// The action that was asked for, if it is a text: at most 80 characters of it.
    pub action: String,
    /// What to answer.
    pub stopped: Stopped,
}

impl Command {
    /// Whether each parameter stands in what its person has typed for it, as those of `/exec ls` do.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        let Envelope { said, names, .. } = &self.envelope;
        let said = said.as_deref().map(|said| OwnWords::new(said, names));
        said.is_some_and(|said| said.have_all(self.params.values().map(|value| (value, false))))
    }

    /// Reads a command from the bytes on the wire. Unknown fields beside the known ones are ignored;
    /// absent or null `params` count as none, as they did for the first SafeClaw.
    ///
    /// # Errors
    /// [`Malformed`] says what to answer, and to whom if that can be read.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let object = json::parse_object(bytes).map_err(|error| {
            let code = match error {
                json::JsonError::TooLarge { .. } => Code::TooLarge,
                _ => Code::BadRequest,
            };
            Malformed {
                message_id: None,
                action: String::new(),
                stopped: Stopped::new(code, format!("this is no command: {error}")),
            }
        })?;
        Self::from_object(object)
    }

    fn from_object(mut object: Object) -> Result<Self, Malformed> {
        let message_id =
            object.get("message_id").and_then(Value::as_str).and_then(|id| MessageId::new(id).ok());
        let action = object.get("action").and_then(Value::as_str).unwrap_or_default().to_owned();
        let malformed = |code, message: String| Malformed {
            message_id: message_id.clone(),
            action: action.chars().take(80).collect(),
            stopped: Stopped::new(code, message),
        };
        if object.get("params").is_none_or(Value::is_null) {
            object.insert("params".to_owned(), Value::Object(Object::new()));
        }
        // A name that breaks the grammar is the name of no skill, and the sender should hear just that.
        if object.get("action").is_some_and(Value::is_string)
            && let Err(error) = ActionName::new(action.as_str())
        {
            return Err(malformed(Code::UnknownAction, error.to_string()));
        }
        serde_json::from_value(Value::Object(object))
            .map_err(|error| malformed(Code::BadRequest, format!("this is no command: {error}")))
    }

    /// The bytes to put on the wire.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Names, numbers and JSON values always have a JSON form.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn malformed(bytes: &[u8]) -> (Option<String>, Code) {
        let malformed = Command::from_bytes(bytes).unwrap_err();
        (malformed.message_id.map(String::from), malformed.stopped.code)
    }

    #[test]
    fn a_command_of_the_first_version_is_read() {
        let bytes =
            br#"{"message_id":"m1","action":"CREATE_POST","params":{"text":"x"},"extra":[1]}"#;
        let command = Command::from_bytes(bytes).unwrap();
        assert_eq!(command.envelope, Envelope::default());
        assert_eq!(
            String::from_utf8(command.to_bytes()).unwrap(),
            r#"{"message_id":"m1","action":"CREATE_POST","params":{"text":"x"}}"#
        );
    }

    #[test]
    fn a_command_of_this_version() {
        let command = Command {
            message_id: MessageId::new("m1").unwrap(),
            action: ActionName::new("CREATE_POST").unwrap(),
            params: Object::from_iter([("text".to_owned(), json!("x"))]),
            envelope: Envelope {
                session: Some(SessionKey::new("owner").unwrap()),
                principal: Some(Principal::new("console:owner").unwrap()),
                issued_at: Some(Millis(1_700_000_000_000)),
                deadline: Some(Millis(1_700_000_010_000)),
                priority: Priority::Interactive,
                taint: Taint { untrusted: true, private: true },
                typed: vec!["https://example.com/a".to_owned()],
                ..Envelope::current()
            },
        };
        insta::assert_snapshot!(String::from_utf8(command.to_bytes()).unwrap());
        assert_eq!(Command::from_bytes(&command.to_bytes()).unwrap(), command);
    }

    #[test]
    fn null_and_absent_params_count_as_none() {
        for text in [
            r#"{"message_id":"m","action":"A","params":null}"#,
            r#"{"message_id":"m","action":"A"}"#,
        ] {
            assert!(Command::from_bytes(text.as_bytes()).unwrap().params.is_empty());
        }
    }

    #[test]
    fn the_answer_goes_to_the_id_wherever_one_can_be_read() {
        let id = Some("m".to_owned());
        assert_eq!(
            malformed(br#"{"message_id":"m","action":"create_post"}"#),
            (id.clone(), Code::UnknownAction)
        );
        assert_eq!(malformed(br#"{"message_id":"m","action":5}"#), (id.clone(), Code::BadRequest));
        assert_eq!(malformed(br#"{"message_id":"m"}"#), (id.clone(), Code::BadRequest));
        assert_eq!(
            malformed(br#"{"message_id":"m","action":"A","params":[]}"#),
            (id, Code::BadRequest)
        );
        assert_eq!(malformed(br#"{"action":"A"}"#), (None, Code::BadRequest));
        assert_eq!(malformed(br#"{"message_id":"a b","action":"A"}"#), (None, Code::BadRequest));
        assert_eq!(malformed(b"[1]"), (None, Code::BadRequest));
        assert_eq!(malformed(b"\xff\xfe"), (None, Code::BadRequest));
        assert_eq!(malformed(&vec![b' '; json::MAX_BYTES + 1]), (None, Code::TooLarge));
    }

    proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>) {
            let _ = Command::from_bytes(&bytes);
        }
    }
}
