//! What the latest turn that acted brought.

use document::Document;
use protocol::Object;
use serde_json::Value;

/// The observations of one turn, each with the fields that it was answered with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Artifact(pub Vec<Object>);

impl Document for Artifact {
    /// 6 steps of 8 actions with results of 256 KiB each, and some room.
    const LIMIT: u64 = 16 * 1024 * 1024;

    fn from_text(text: &str, left_out: &mut Vec<String>) -> Result<Self, String> {
        // The first SafeClaw kept one object.
        let list = match document::json(text)? {
            Value::Array(list) => list,
            Value::Object(object) => return Ok(Self(vec![object])),
            _ => return Err("it is neither a list nor an object".to_owned()),
        };
        let count = list.len();
        let objects: Vec<Object> = list
            .into_iter()
            .filter_map(|value| match value {
                Value::Object(object) => Some(object),
                _ => None,
            })
            .collect();
        if objects.len() < count {
            left_out.push("what is no object in it is left out".to_owned());
        }
        Ok(Self(objects))
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}
