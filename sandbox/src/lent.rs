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
}

impl Lent {
    /// Where the skill finds it.
    pub(super) fn seen_at(&self, level: Level) -> PathBuf {
        match level {
            Level::Namespaces => Path::new("/").join(&self.name),
            _ => self.path.clone(),
        }
    }

    /// The variables that tell the skill where `all` are: one for each, and one with all of them as JSON.
    pub(super) fn variables(all: &[Self], level: Level) -> Vec<(String, String)> {
        let seen: BTreeMap<&str, String> = all
            .iter()
            .map(|lent| (lent.name.as_str(), lent.seen_at(level).display().to_string()))
            .collect();
        // A map of texts always has a JSON form.
        let together = serde_json::to_string(&seen).unwrap_or_default();
        let each = seen.iter().map(|(name, path)| {
            (format!("SAFECLAW_FOLDER_{}", name.to_ascii_uppercase()), path.clone())
        });
        let together = (!all.is_empty()).then(|| ("SAFECLAW_FOLDERS".to_owned(), together));
        each.chain(together).collect()
    }
}
