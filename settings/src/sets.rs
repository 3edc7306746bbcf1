//! `sets` in agent/config.json: the sets of actions that are offered.

use std::collections::BTreeSet;
use std::path::Path;

use protocol::SetName;
use serde_json::{Value, json};

use super::SettingsError;
use super::keys::{Change, KeyError};

/// An empty list, as people write it.
const NONE: &str = "none";

/// Writes the sets that are on to agent/config.json at `path`.
///
/// # Errors
/// [`SettingsError`]; the file is unchanged then.
pub fn keep_sets(path: &Path, sets: &BTreeSet<SetName>) -> Result<(), SettingsError> {
    Ok(super::open(path)?.set("sets", json!(sets))?)
}

impl Change<'_> {
    /// Takes the names of the sets from `given`, or asks for them.
    pub(super) fn sets(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let on = &self.file.settings().sets;
        let current = on.iter().map(SetName::as_str).collect::<Vec<_>>().join(", ");
        let current = if current.is_empty() { NONE } else { &current };
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask("sets", current, &[])?,
        };
        let names = answer.split([',', ' ']).filter(|name| !name.is_empty() && *name != NONE);
        // A name that breaks the grammar is refused by the type, which says what is right.
        Ok(self.file.set("sets", Value::Array(names.map(|name| json!(name)).collect()))?)
    }
}
