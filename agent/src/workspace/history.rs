//! What was said last.

use protocol::Object;
use serde::{Deserialize, Serialize};

use super::{Document, document};

/// How many entries are kept, as the first SafeClaw did.
pub const ENTRIES_KEPT: usize = 10;

/// One message and what it was answered with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What the user said.
    pub user: String,
    /// The words that answered it.
    pub response: String,
    /// Its running number, from 1. The first SafeClaw wrote none; then it is counted on.
    #[serde(default)]
    pub n: u64,
    /// Keys that somebody added.
    #[serde(flatten)]
    pub more: Object,
}

/// The latest entries, oldest first. Their numbers grow by one or more from entry to entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History(Vec<Entry>);

impl History {
    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// Adds the latest entry and forgets the oldest beyond [`ENTRIES_KEPT`].
    pub fn add(&mut self, user: impl Into<String>, response: impl Into<String>) {
        let (user, response) = (user.into(), response.into());
        self.append(Entry { user, response, n: 0, more: Object::new() });
    }

    fn append(&mut self, mut entry: Entry) {
        let next = self.0.last().map_or(1, |last| last.n.saturating_add(1));
        entry.n = entry.n.max(next);
        self.0.push(entry);
        self.0.drain(..self.0.len().saturating_sub(ENTRIES_KEPT));
    }
}

impl Document for History {
    const LIMIT: u64 = 32 * 1024 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        let mut history = Self::default();
        for entry in document::json::<Vec<Entry>>(text)? {
            history.append(entry);
        }
        Ok(history)
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}
