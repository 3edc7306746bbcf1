//! How a model is asked for actions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The form in which a model is told to write its actions. Whatever it was told, an answer in one of the other
/// forms is understood: many servers ignore a schema or tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Words, and at the end a `<tool_code>` block: needs nothing of the server.
    ToolCode,
    /// One JSON object with a message and actions, which the server forces by a schema.
    Json,
    /// The server's own tool calls.
    Native,
}

/// As `llm.way` has it.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToolCode => "tool_code",
            Self::Json => "json",
            Self::Native => "native",
        })
    }
}
