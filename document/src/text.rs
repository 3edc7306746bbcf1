//! A file of plain text.

use crate::document::Document;

/// The text of a Markdown file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(String);

impl Text {
    /// This text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text as it stands in the file.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Document for Text {
    const LIMIT: u64 = 64 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        Ok(Self::new(text.trim_start_matches('\u{feff}')))
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }
}
