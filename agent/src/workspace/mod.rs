//! The agent's own files: what it is told, what it knows, what was said and done.
//!
//! Every file is read bounded, cached until it changes on the disk, and written whole or not at all. A
//! file that a crash or a hand edit broke is set aside, said, and started afresh. When the disk is full or
//! read-only, the conversation goes on with what is in memory.

mod document;
mod file;
mod stamp;

mod artifact;
mod cards;
mod clear;
mod endpoints;
mod entered;
mod history;
mod memory;
mod output;
mod text;

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use artifact::Artifact;
pub use cards::Cards;
pub use clear::clear;
pub use document::Document;
pub use endpoints::{Endpoints, Learned};
pub use entered::Entered;
pub use file::{File, SaveError};
pub use history::{ENTRIES_KEPT, Entry, History};
pub use memory::{Aside, Memory};
pub use output::{OutputError, OutputText};
pub use text::Text;

use crate::notice::Notice;

/// The template of the prompt that is used when the workspace has none, and written there at start.
pub const PROMPT: &str = include_str!("../../../workspace/PROMPT.md");

/// Who the agent is when the workspace does not say, written there at start.
pub const SOUL: &str = include_str!("../../../workspace/SOUL.md");

/// The descriptions of the local actions when the workspace has none, written there at start.
pub const AGENT_ACTIONS: &str = include_str!("../../../workspace/agent_action.json");

/// One folder with the files of one agent.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    notices: Notices,
    /// `PROMPT.md`: the template of the prompt.
    pub prompt: File<Text>,
    /// `SOUL.md`: who the agent is.
    pub soul: File<Text>,
    /// `memory.json`: what it knows.
    pub memory: File<Memory>,
    /// `agent_action.json`: how the local actions are described to the model.
    pub agent_actions: File<Cards>,
    /// `router_actions.json`: what the router can run, as far as known.
    pub router_actions: File<Cards>,
    /// `input_history.json`: what was said last.
    pub history: File<History>,
    /// `artifact.json`: all observations of the latest turn that acted.
    pub artifact: File<Artifact>,
    /// `session.json`: what has come into the conversation that history and artifact hold.
    pub session: File<Entered>,
    /// `endpoints.json`: what was learned of model servers.
    pub endpoints: Arc<Endpoints>,
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
            memory: File::new(folder.join("memory.json"), &notices),
            agent_actions: File::built_in(
                folder.join("agent_action.json"),
                Cards::built_in(AGENT_ACTIONS),
                &notices,
            ),
            router_actions: File::new(folder.join("router_actions.json"), &notices),
            history: File::new(folder.join("input_history.json"), &notices),
            artifact: File::new(folder.join("artifact.json"), &notices),
            session: File::new(folder.join("session.json"), &notices),
            endpoints: Arc::new(Endpoints::new(&folder, &notices)),
            folder,
            notices,
        };
        workspace.write_defaults();
        workspace
    }

    fn write_defaults(&self) {
        for (name, text) in
            [("PROMPT.md", PROMPT), ("SOUL.md", SOUL), ("agent_action.json", AGENT_ACTIONS)]
        {
            if let Err(error) = home::file::write_missing(&self.folder.join(name), text.as_bytes())
            {
                self.notices.add(format!("{}; the built-in {name} is used", SaveError(error)));
            }
        }
        if let Err(error) = home::file::make_folder(&self.output()) {
            self.notices.add(SaveError(error).to_string());
        }
    }

    /// What has come into the conversation that is kept here. If there is one and nobody knows, that is both
    /// untrusted text and private data.
    #[must_use]
    pub fn entered(&self) -> Entered {
        let known = self.session.read();
        if *known != Entered::default() {
            return Entered::clone(&known);
        }
        if self.history.read().entries().is_empty() && self.artifact.read().0.is_empty() {
            return Entered::nothing();
        }
        self.notices.add(
            "nobody knows what has come into the conversation that is kept here, so it counts as private \
             and as written by others; /clear starts afresh",
        );
        Entered::default()
    }

    /// The folder itself.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of generated files.
    #[must_use]
    pub fn output(&self) -> PathBuf {
        self.folder.join("output")
    }

    /// Where the latest prompt stands, for people who want to see what the model saw.
    #[must_use]
    pub fn prompt_cache(&self) -> PathBuf {
        self.output().join("prompt_cache.txt")
    }

    /// Writes the latest prompt down. It is nothing but a view, so it is neither synced nor missed: a
    /// failure is a notice.
    pub fn write_prompt_cache(&self, prompt: &str) {
        // It holds what memory and history hold, which nobody else may read either.
        let open = || {
            fs::OpenOptions::new()
                .create(true)
                .write(true)
                .truncate(true)
                .mode(0o600)
                .open(self.prompt_cache())
        };
        if let Err(error) = open().and_then(|mut file| file.write_all(prompt.as_bytes())) {
            let error = home::FileError::new("write", &self.prompt_cache(), error);
            self.notices.add(SaveError(error).to_string());
        }
    }

    /// What people should hear of the files since this was asked last.
    #[must_use]
    pub fn take_notices(&self) -> Vec<Notice> {
        self.notices.take()
    }
}

/// Where the files of one workspace leave what people should hear. The same sentence waits only once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notices(Arc<Mutex<Vec<Notice>>>);

impl Notices {
    fn add(&self, text: impl Into<String>) {
        let notice = Notice::new(text);
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.contains(&notice) {
            waiting.push(notice);
        }
    }

    fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
