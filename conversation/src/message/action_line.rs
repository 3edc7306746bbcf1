//! How an action ended, in one line: as programs read it, and as people do.

use protocol::{ActionName, Status};
use serde::Serialize;

/// An action that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionLine {
    /// Which one.
    pub action: ActionName,
    /// How it ended.
    pub status: Status,
    /// The line of programs and of the log, such as `HELLO_WORLD: ok, Hello, World!`.
    #[serde(rename = "text")]
    pub line: String,
    /// What people see, such as `✓ I'll remember that your name is Frankie.`
    pub told: String,
}

/// The marks that what people see begins with, and how a terminal shows them that has no more than ASCII.
const MARKS: [(&str, &str); 3] = [("✓ ", "ok "), ("✗ ", "no "), ("○ ", "dry run ")];

impl ActionLine {
    /// What people see where nothing but ASCII can be shown.
    #[must_use]
    pub fn told_in_ascii(&self) -> String {
        let shown =
            |(mark, ascii): &(&str, &str)| Some([*ascii, self.told.strip_prefix(mark)?].concat());
        MARKS.iter().find_map(shown).unwrap_or_else(|| self.told.clone())
    }
}
