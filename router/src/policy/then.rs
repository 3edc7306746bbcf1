//! What is decided, and where it is written.

use serde::Deserialize;

/// What to do with a call, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// Run it.
    Allow,
    /// Ask a person.
    Ask,
    /// Do not run it.
    Refuse,
}

impl Then {
    /// All of them, as they are written.
    pub const WORDS: [(&'static str, Self); 3] =
        [("allow", Self::Allow), ("ask", Self::Ask), ("refuse", Self::Refuse)];
}

impl std::fmt::Display for Then {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        })
    }
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its number, from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

impl Place {
    /// The line of `text` in which the byte at `offset` stands.
    #[must_use]
    pub fn in_text(text: &str, offset: usize) -> Self {
        let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let text = text.lines().nth(line - 1).unwrap_or_default().trim().to_owned();
        Self { line, text }
    }

    /// The same, with the lines that belong to it, up to an empty line or the next table.
    #[must_use]
    pub fn with_what_follows(mut self, text: &str) -> Self {
        let following = text.lines().skip(self.line).map(str::trim);
        for line in following.take_while(|line| !line.is_empty() && !line.starts_with('[')) {
            if !line.starts_with('#') {
                self.text.push_str(if self.text.ends_with(']') { " " } else { "; " });
                self.text.push_str(line);
            }
        }
        self
    }
}
