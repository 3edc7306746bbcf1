//! A folder of the host that a skill is lent.

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

    /// The variable that tells the skill so.
    pub(super) fn variable(&self, level: Level) -> (String, String) {
        let name = format!("SAFECLAW_FOLDER_{}", self.name.to_ascii_uppercase());
        (name, self.seen_at(level).display().to_string())
    }
}
