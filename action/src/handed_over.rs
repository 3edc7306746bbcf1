//! A file that a skill hands over for the chat: it is kept below output/, said to the chat, and taken out of what a model
//! sees.

use conversation::message::Outgoing;
use conversation::observation::Observation;
use conversation::workspace::SessionFiles;
use data_encoding::BASE64;
use protocol::{Code, Object, Outcome, Reads, Stopped};
use serde_json::Value;
use session::Outbox;
use sha2::{Digest, Sha256};

/// The action whose result is a file.
const ACTION: &str = "SEND_FILE";

/// Gives the file in `observation` to the chat, if it is one.
#[must_use]
pub fn hand_over(
    mut observation: Observation,
    files: &SessionFiles,
    outbox: Option<&Outbox>,
) -> Observation {
    if observation.action.as_str() != ACTION {
        return observation;
    }
    observation.fields.shift_remove("content");
    let Outcome::Done(done) = &mut observation.outcome else { return observation };
    let content = done.result.shift_remove("content");
    match kept(content, &done.result, files) {
        Ok(path) => {
            if let Some(outbox) = outbox {
                outbox.say(Outgoing::File(path));
            }
            observation
        }
        Err(why) => {
            Observation::of_local(observation.action, Err(Stopped::new(Code::BadResult, why)))
        }
    }
}

/// Where the file is kept.
fn kept(
    content: Option<Value>,
    result: &Object,
    files: &SessionFiles,
) -> Result<std::path::PathBuf, String> {
    let text = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
    let bytes = content
        .as_ref()
        .and_then(Value::as_str)
        .and_then(|text| BASE64.decode(text.as_bytes()).ok());
    let sum = |bytes: &[u8]| -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    // The router takes its secrets out of whatever leaves it.
    let bytes = bytes.filter(|bytes| sum(bytes) == text("sha256"));
    let bytes = bytes.ok_or("the file holds a secret of the router's, so it is not sent")?;
    let name = safe(text("name"));
    files.write_output(&name, &bytes, Reads::BOTH).map_err(|error| error.to_string())?;
    Ok(files.output().join(name))
}

/// A name without a folder, a leading dot or anything that a terminal acts on.
fn safe(name: &str) -> String {
    let is_plain =
        |c: &char| !c.is_control() && !legible::is_unseen(*c) && !matches!(c, '/' | '\\' | ':');
    let name: String = name.chars().filter(is_plain).take(100).collect();
    let name = name.trim_start_matches('.').trim();
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use protocol::{ActionName, Done};
    use serde_json::json;

    use super::*;

    fn observed(content: &str, sum: &str, name: &str) -> Observation {
        let result = json!({"name": name, "bytes": 3, "sha256": sum, "content": content});
        let result = result.as_object().unwrap().clone();
        Observation::of_local(
            ActionName::new(ACTION).unwrap(),
            Ok(Done { result, ..Done::default() }),
        )
    }

    #[test]
    fn a_file_is_kept_whole_and_no_model_sees_it() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::open(folder.path());
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let seen = hand_over(observed("YWJj", sum, "../a\u{202e}b.txt"), &files, None);
        assert!(!format!("{seen:?}").contains("YWJj"), "{seen:?}");
        assert_eq!(std::fs::read(files.output().join("ab.txt")).unwrap(), b"abc");
        // What is not what the skill has read is not given to anybody.
        let torn = hand_over(observed("YWJi", sum, "x"), &files, None);
        assert!(matches!(torn.outcome, Outcome::Stopped(_)), "{torn:?}");
        assert!(!files.output().join("x").exists());
        assert!(!format!("{torn:?}").contains("YWJi"));
    }
}
