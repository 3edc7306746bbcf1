//! What was said last.

use document::Document;
use protocol::Object;
use serde::{Deserialize, Serialize};

/// How many entries are kept, as the first SafeClaw did.
pub const ENTRIES_KEPT: usize = 10;

/// How much of a message is kept, in bytes; the prompt shows less of it.
const USER_KEPT: usize = 8 * 1024;

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

    /// These entries, oldest first.
    pub(super) fn of(entries: Vec<Entry>) -> Self {
        let mut history = Self::default();
        entries.into_iter().for_each(|entry| history.append(entry));
        history
    }

    /// Adds the latest entry and forgets the oldest beyond [`ENTRIES_KEPT`]. Of a very long message the beginning is kept, with
    /// a word on the rest.
    pub fn add(&mut self, user: impl Into<String>, response: impl Into<String>) {
        let (user, response) = (shortened(user.into()), response.into());
        self.append(Entry { user, response, n: 0, more: Object::new() });
    }

    fn append(&mut self, mut entry: Entry) {
        let next = self.0.last().map_or(1, |last| last.n.saturating_add(1));
        entry.n = entry.n.max(next);
        self.0.push(entry);
        self.0.drain(..self.0.len().saturating_sub(ENTRIES_KEPT));
    }
}

fn shortened(mut text: String) -> String {
    let end = text.floor_char_boundary(USER_KEPT);
    let more = text.len() - end;
    if more > 0 {
        text.truncate(end);
        text.push_str(&format!(" [... {more} more bytes are not kept]"));
    }
    text
}

impl Document for History {
    const LIMIT: u64 = 32 * 1024 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        document::json::<Vec<Entry>>(text).map(Self::of)
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_very_long_message_the_beginning_is_kept() {
        let mut history = History::default();
        history.add("x".repeat(USER_KEPT), "ok");
        history.add("\u{fc}".repeat(100_000), "ok");
        let kept: Vec<&str> = history.entries().iter().map(|entry| entry.user.as_str()).collect();
        assert_eq!(kept[0].len(), USER_KEPT);
        assert!(kept[1].starts_with("\u{fc}\u{fc}") && kept[1].len() < USER_KEPT + 50);
        assert!(
            kept[1].ends_with(" [... 191808 more bytes are not kept]"),
            "{}",
            &kept[1][8_000..]
        );
    }
}
