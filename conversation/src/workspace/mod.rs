//! The agent's own files, and those of each conversation: what it knows, what was said and done.
//!
//! How a file is read, kept and mended is the crate `document`'s.

mod artifact;
mod cards;
mod chats;
mod clear;
mod entered;
mod history;
mod memory;
mod output;
mod outputs;
mod session_files;

use std::path::{Path, PathBuf};

pub use protocol::OWNER;
use protocol::SessionKey;

pub use artifact::Artifact;
pub use cards::Cards;
pub use chats::{Chats, OpenChat, StoredChat};
pub use clear::{clear, remove_drafts, session_folders};
pub use entered::Entered;
pub use entered::urls;
pub use history::{ENTRIES_KEPT, Entry, History};
pub use memory::{Aside, Memory};
pub use output::{OutputError, OutputText};
pub use session_files::SessionFiles;

use document::{File, Notice, Notices, SaveError, Text};

/// The template of the prompt that is used when the workspace has none, and written there at start.
pub const PROMPT: &str = include_str!("../../../workspace/PROMPT.md");

/// Who the agent is when the workspace does not say, written there at start.
pub const SOUL: &str = include_str!("../../../workspace/SOUL.md");

/// The descriptions of the local actions when the workspace has none, written there at start.
pub const AGENT_ACTIONS: &str = include_str!("../../../workspace/agent_action.json");

/// What a model is told that notes down what was said, when the workspace does not say, written there at start.
pub const CAPTURE: &str = include_str!("../../../workspace/capture.md");

/// Below it in the workspace stand the personas.
const PERSONAS: &str = "personas";

/// Below it in the workspace stand the conversations that are not the owner's.
const SESSIONS: &str = "sessions";

/// One folder with the files of one agent, and below it those of its conversations.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    notices: Notices,
    /// `PROMPT.md`: the template of the prompt.
    pub prompt: File<Text>,
    /// `SOUL.md`: who the agent is.
    pub soul: File<Text>,
    /// `capture.md`: what a model is told that notes down what was said.
    pub capture: File<Text>,
    /// `agent_action.json`: how the local actions are described to the model.
    pub agent_actions: File<Cards>,
    /// `router_actions.json`: what the router can run, as far as known.
    pub router_actions: File<Cards>,
}

impl Workspace {
    /// Opens a workspace. What can be written of the defaults that are missing is written; if it can't,
    /// that is a notice, and they are used from memory.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let notices = Notices::default();
        let built_in =
            |name, text: &str| File::built_in(folder.join(name), Text::new(text), &notices);
        let workspace = Self {
            prompt: built_in("PROMPT.md", PROMPT),
            soul: built_in("SOUL.md", SOUL),
            capture: built_in("capture.md", CAPTURE),
            agent_actions: File::built_in(
                folder.join("agent_action.json"),
                Cards::built_in(AGENT_ACTIONS),
                &notices,
            ),
            router_actions: File::new(folder.join("router_actions.json"), &notices),
            folder,
            notices,
        };
        workspace.write_defaults();
        workspace
    }

    fn write_defaults(&self) {
        for (name, text) in [
            ("PROMPT.md", PROMPT),
            ("SOUL.md", SOUL),
            ("capture.md", CAPTURE),
            ("agent_action.json", AGENT_ACTIONS),
        ] {
            if let Err(error) = home::file::write_missing(&self.folder.join(name), text.as_bytes())
            {
                self.notices
                    .add(format!("{}; the built-in {name} is used", SaveError::from(error)));
            }
        }
    }

    /// Opens the files of the conversation `session`: the owner's stand in the workspace itself, everybody
    /// else's in a folder of their own.
    #[must_use]
    pub fn session_files(&self, session: &SessionKey) -> SessionFiles {
        SessionFiles::open(match session.is_owner() {
            true => self.folder.clone(),
            false => self.sessions().join(session.as_str()),
        })
    }

    /// The folder of the conversations that are not the owner's.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.folder.join(SESSIONS)
    }

    /// The folder of the personas' files.
    #[must_use]
    pub fn personas(&self) -> PathBuf {
        self.folder.join(PERSONAS)
    }

    /// The folder itself.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where its files leave what people should hear.
    pub fn notices(&self) -> &Notices {
        &self.notices
    }

    /// What people should hear of the files since this was asked last.
    #[must_use]
    pub fn take_notices(&self) -> Vec<Notice> {
        self.notices.take()
    }
}

#[cfg(test)]
mod tests;
