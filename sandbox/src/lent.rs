//! A folder of the host that a skill is lent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Level;

/// A folder of the host, and what the skill may do there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lent {
    /// Its name: the skill sees it at `/<name>`, or, without namespaces, where it is.
    pub name: String,
    /// Where it is on the host, with no link on the way.
    pub path: PathBuf,
    /// Whether the skill may write there, too.
    pub write: bool,
    /// The skill sees it where it is, and not at `/<name>`.
    pub in_place: bool,
    /// What of it the skill does not see.
    pub hidden: Vec<PathBuf>,
}

impl Lent {
    /// The whole folder at `path`, seen at `/<name>`.
    #[must_use]
    pub fn new(name: &str, path: &Path, write: bool) -> Self {
        let (name, path) = (name.to_owned(), path.to_owned());
        Self { name, path, write, in_place: false, hidden: Vec::new() }
    }

    /// Where the skill finds it.
    pub(super) fn seen_at(&self, level: Level) -> PathBuf {
        match level {
            Level::Namespaces if !self.in_place => Path::new("/").join(&self.name),
            _ => self.path.clone(),
        }
    }

    /// The variables that tell the skill where `all` are: one for each, and one with all of them as JSON.
    pub(super) fn variables(all: &[Self], level: Level) -> Vec<(String, String)> {
        let seen: BTreeMap<&str, String> = all
            .iter()
            .filter(|lent| !lent.in_place)
            .map(|lent| (lent.name.as_str(), lent.seen_at(level).display().to_string()))
            .collect();
        // A map of texts always has a JSON form.
        let together = serde_json::to_string(&seen).unwrap_or_default();
        let each = seen.iter().map(|(name, path)| {
            (format!("SAFECLAW_FOLDER_{}", name.to_ascii_uppercase()), path.clone())
        });
        let together = (!seen.is_empty()).then(|| ("SAFECLAW_FOLDERS".to_owned(), together));
        each.chain(together).collect()
    }
}
