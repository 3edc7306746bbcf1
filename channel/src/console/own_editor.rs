//! The seam to an editor of the person's own: the agent is confined and starts no program, so somebody else does.

use std::fmt::Debug;

use async_trait::async_trait;

/// Has a person write a text in an editor of their own.
#[async_trait]
pub trait OwnEditor: Debug + Send + Sync {
    /// What was written in a file that was empty. The editor has the terminal until then.
    ///
    /// # Errors
    /// [`NotWritten`] says why there is nothing.
    async fn write(&self) -> Result<String, NotWritten>;
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// Nobody has said which editor.
    NoEditor,
    /// It went wrong, for this reason.
    Failed(String),
}
