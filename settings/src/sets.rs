//! `sets` and `apart` in agent/config.json: the sets of actions that are offered, and the actions whose results are read apart.

use std::collections::BTreeSet;
use std::path::Path;

use protocol::{ActionName, SetName};
use serde_json::{Value, json};

use super::keys::{Change, KeyError};
use super::{SettingsError, chosen};

/// An empty list, as people write it.
const NONE: &str = "none";

/// The set of what is done later.
const CLOCK: &str = "clock";

/// The sets that are on until the owner chooses.
pub(super) fn at_first() -> BTreeSet<SetName> {
    SetName::new(CLOCK).into_iter().collect()
}

/// Notes at `path` which sets are on.
///
/// # Errors
/// [`SettingsError`]; nothing is noted then.
pub fn keep_sets(path: &Path, sets: &BTreeSet<SetName>) -> Result<(), SettingsError> {
    chosen::note(path, [("sets", json!(sets))])
}

impl Change<'_> {
    /// Takes the names of the sets from `given`, or asks for them.
    pub(super) fn sets(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let on = self.file.settings().sets.iter().map(SetName::as_str);
        let current = on.collect::<Vec<_>>().join(", ");
        self.names(("sets", &current), given)
    }

    /// The same with the names of the actions whose results are read apart.
    pub(super) fn apart(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let apart = self.file.settings().apart.iter().map(ActionName::as_str);
        let current = apart.collect::<Vec<_>>().join(", ");
        self.names(("apart", &current), given)
    }

    fn names(&mut self, (key, current): (&str, &str), given: Option<&str>) -> Result<(), KeyError> {
        let current = if current.is_empty() { NONE } else { current };
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask(key, current, &[])?,
        };
        let names = answer.split([',', ' ']).filter(|name| !name.is_empty() && *name != NONE);
        // A name that breaks the grammar is refused by the type, which says what is right.
        Ok(self.file.set(key, Value::Array(names.map(|name| json!(name)).collect()))?)
    }
}
