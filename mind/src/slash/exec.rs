//! `/exec COMMAND` and `/read PATH`: the owner's machine, as far as router/governance.json opens it.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;
use protocol::{ActionName, Object};
use serde_json::{Value, json};

use super::library::{ask, text};
use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Exec {
    action: &'static str,
    params: Value,
}

pub(super) fn read(rest: &str) -> Read {
    match rest.trim() {
        "" => Err("say what to run: /exec COMMAND, such as /exec ls -l".to_owned()),
        line => Ok(Arc::new(Exec { action: "EXEC", params: json!({"command": line}) })),
    }
}

pub(super) fn read_file(rest: &str) -> Read {
    match rest.trim().trim_matches('"') {
        "" => Err("say what to read: /read PATH".to_owned()),
        path => Ok(Arc::new(Exec { action: "READ_FILE", params: json!({"path": path}) })),
    }
}

#[async_trait]
impl Perform for Exec {
    async fn perform(&self, mut at: At<'_>) {
        match ask(&mut at, self.action, self.params.clone()).await {
            Ok(done) => {
                at.text(told(&done));
                if done.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0) {
                    at.outbox.say(Outgoing::Failed);
                }
            }
            Err(why) => at.notice(why),
        }
    }

    fn told(&self, done: &Object) -> Option<String> {
        Some(told(done))
    }
}

/// What these commands say of a result of `action`, if it is one of theirs, for whoever does not know what was typed.
pub fn told_of(action: &ActionName, done: &Object) -> Option<String> {
    matches!(action.as_str(), "EXEC" | "READ_FILE").then(|| told(done))
}

/// An output with a code that is not 0, a file's text, or the names in a folder.
fn told(done: &Object) -> String {
    let whole = Value::Object(done.clone());
    if let Some(names) = done.get("entries").and_then(Value::as_array) {
        let count = done.get("count").and_then(Value::as_u64).unwrap_or(0);
        let more = usize::try_from(count).unwrap_or(0).saturating_sub(names.len());
        let mut lines: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let rest = format!("... and {more} more");
        if more > 0 {
            lines.push(&rest);
        }
        return if lines.is_empty() { "(an empty folder)".to_owned() } else { lines.join("\n") };
    }
    if done.contains_key("text") {
        let text = text(&whole, "text");
        return if text.is_empty() { "(an empty file)".to_owned() } else { text.to_owned() };
    }
    let output = text(&whole, "output").trim_end();
    let code = done.get("exit_code").and_then(Value::as_i64);
    let ran = match (code, output.is_empty()) {
        (Some(0), true) => "(no output)".to_owned(),
        (Some(0) | None, _) => return output.to_owned(),
        (Some(code), true) => format!("(no output; exit code {code})"),
        (Some(code), false) => format!("{output}\n(exit code {code})"),
    };
    // It may tell why there was nothing to see.
    match text(&whole, "note") {
        "" => ran,
        note => format!("{ran}\n({note})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_it_is_told_in_full() {
        for (done, words) in [
            (json!({"output": "a\nb\n", "exit_code": 0}), "a\nb"),
            (json!({"output": "", "exit_code": 0}), "(no output)"),
            (json!({"output": "no\n", "exit_code": 2}), "no\n(exit code 2)"),
            (json!({"output": "", "exit_code": 0, "note": "none"}), "(no output)\n(none)"),
            (json!({"output": "1\n", "exit_code": 0, "note": "none"}), "1"),
            (json!({"output": "", "exit_code": 1}), "(no output; exit code 1)"),
            (json!({"text": "x", "bytes": 1}), "x"),
            (json!({"text": "", "bytes": 0}), "(an empty file)"),
            (json!({"entries": ["a", "b/"], "count": 4}), "a\nb/\n... and 2 more"),
            (json!({"entries": [], "count": 0}), "(an empty folder)"),
        ] {
            assert_eq!(told(done.as_object().unwrap()), words);
        }
        assert!(read(" ").is_err() && read_file(" ").is_err() && read("ls").is_ok());
    }
}
