//! One line of the wire, in and out.

use protocol::Object;
use serde::Deserialize;
use serde_json::{Value, json};

/// A command, in either spelling.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Asked {
    /// The environment.
    #[serde(alias = "environment")]
    pub(super) env: String,
    /// What it is to do.
    pub(super) command: String,
    /// How long that may take, in seconds.
    #[serde(default)]
    pub(super) seconds: Option<u64>,
    /// `command`, in the first form.
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

impl Asked {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let asked: Self = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if let Some(kind) = asked.kind.as_deref().filter(|kind| *kind != "command") {
            return Err(format!(
                "{kind:?} is no type that is known here; a command has \"command\""
            ));
        }
        let is_name = asked.env.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && asked.env.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name {
            return Err("env is a name of letters, digits and _".to_owned());
        }
        Ok(asked)
    }

    /// As the workbench takes it.
    pub(super) fn params(&self) -> Value {
        let mut params = json!({"env": self.env, "command": self.command});
        if let (Some(seconds), Some(params)) = (self.seconds, params.as_object_mut()) {
            params.insert("seconds".to_owned(), json!(seconds.clamp(1, 570)));
        }
        params
    }
}

/// What the workbench answered, as it goes out.
pub(super) fn answer(mut result: Object) -> Value {
    let screen = result.shift_remove("screen").unwrap_or_else(|| json!({}));
    json!({"response": result, "screen": screen})
}

/// What went wrong.
pub(super) fn error(message: &str) -> Value {
    json!({"type": "error", "message": message})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read() {
        for line in [
            r#"{"env":"bash","command":"ls"}"#,
            r#"{"type":"command","environment":"bash","command":"ls"}"#,
        ] {
            let params = Asked::read(line.as_bytes()).unwrap().params();
            assert_eq!(params, json!({"env": "bash", "command": "ls"}), "{line}");
        }
    }

    #[test]
    fn what_is_no_command_is_an_error() {
        for line in [
            "",
            "[]",
            "{}",
            r#"{"env":"bash"}"#,
            r#"{"env":1,"command":"ls"}"#,
            r#"{"env":"bash","command":["ls"]}"#,
            r#"{"env":"../x","command":"ls"}"#,
            r#"{"type":"stop","env":"bash","command":"ls"}"#,
        ] {
            assert!(Asked::read(line.as_bytes()).is_err(), "{line}");
        }
    }
}
