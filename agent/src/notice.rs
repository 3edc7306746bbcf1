//! What people should hear though nothing has stopped.

use std::fmt;

/// A sentence for people about something that was mended or worked around: what happened, where the old
/// thing is kept, what is done now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice(String);

impl Notice {
    /// A notice with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
