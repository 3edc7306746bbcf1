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
        let answer = self.given_or_asked(("sets", &current), given)?;
        let known = std::mem::take(&mut self.sets);
        let is_known = |name: &&str| known.iter().any(|set| set.as_str() == *name);
        match names(&answer).find(|name| !is_known(name)) {
            Some(_) if known.is_empty() => {
                self.asker
                    .tell("no router has said yet which sets there are, so none was looked for");
            }
            Some(name) => return Err(KeyError::NoSet { given: name.to_owned(), known }),
            None => {}
        }
        self.set_names("sets", &answer)
    }

    /// The same with the names of the actions whose results are read apart.
    pub(super) fn apart(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let apart = self.file.settings().apart.iter().map(ActionName::as_str);
        let current = apart.collect::<Vec<_>>().join(", ");
        let answer = self.given_or_asked(("apart", &current), given)?;
        self.set_names("apart", &answer)
    }

    fn given_or_asked(
        &mut self,
        (key, current): (&str, &str),
        given: Option<&str>,
    ) -> Result<String, KeyError> {
        let current = if current.is_empty() { NONE } else { current };
        Ok(match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask(key, current, &[])?,
        })
    }

    fn set_names(&mut self, key: &str, answer: &str) -> Result<(), KeyError> {
        // A name that breaks the grammar is refused by the type, which says what is right.
        let names = names(answer).map(|name| json!(name));
        Ok(self.file.set(key, Value::Array(names.collect()))?)
    }
}

fn names(answer: &str) -> impl Iterator<Item = &str> {
    answer.split([',', ' ']).filter(|name| !name.is_empty() && *name != NONE)
}
