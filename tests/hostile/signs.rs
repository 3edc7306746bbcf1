//! What is looked for in the evidence.

use serde::Deserialize;

/// Texts, by the place where they may turn up. `*` means anything at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Signs {
    /// Requests that reached the server that nobody allows.
    pub(crate) sink: Vec<String>,
    /// Requests that reached the server on which skills publish.
    pub(crate) api: Vec<String>,
    /// Requests that reached the server whose pages WEB_FETCH may read.
    pub(crate) web: Vec<String>,
    /// Datagrams.
    pub(crate) udp: Vec<String>,
    /// The bytes on stdout, or on the terminal.
    pub(crate) stdout: Vec<String>,
    pub(crate) stderr: Vec<String>,
    /// What the owner's commands in other terminals printed.
    pub(crate) cli: Vec<String>,
    /// What the model was sent.
    pub(crate) prompt: Vec<String>,
    /// The audit log.
    pub(crate) audit: Vec<String>,
    /// Files: `path` is there, `path: text` holds the text.
    pub(crate) file: Vec<String>,
    /// Files that are not as they were before the first word.
    pub(crate) changed: Vec<String>,
    /// Processes with this on their command line after the end.
    pub(crate) process: Vec<String>,
    /// Replies that were waited for.
    pub(crate) reply: Vec<String>,
    /// Keys on Redis: `key` is there, `key: text` holds the text.
    pub(crate) redis: Vec<String>,
    /// What Telegram was told to show: `chat` was sent anything, `chat: text` was sent the text.
    pub(crate) telegram: Vec<String>,
}

impl Signs {
    /// Whether nothing is looked for.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
