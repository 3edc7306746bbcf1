//! Gives a file to the chat in which it was asked for.

use std::fmt::Write;

use safeclaw_skill::SkillError;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::files::{One, bytes};
use super::{Place, unreachable};

/// The file with its name and its sum. Its content is for the chat alone: the agent takes it out before a model sees it.
pub(super) fn send(params: &One, place: &Place) -> Result<Value, SkillError> {
    let path = place.path(&params.path);
    let path = path.canonicalize().map_err(|error| unreachable(&path, &error))?;
    let (bytes, whole) = bytes(&path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut sum = String::new();
    for byte in Sha256::digest(&bytes) {
        // Writing to a text can't fail.
        let _ = write!(sum, "{byte:02x}");
    }
    let content = data_encoding::BASE64.encode(&bytes);
    Ok(json!({"name": name, "bytes": whole, "sha256": sum, "content": content, "_brings": "none"}))
}
