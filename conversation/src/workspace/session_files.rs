//! The files of one conversation: what its people want remembered, what was said and done, what was generated.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use document::{File, Notice, Notices, SaveError, Text};
use drive::Task;
use journal::Journal;
use notes::Notebook;

use super::outputs::Outputs;
use super::{Artifact, Chats, Entered, History, Memory, OpenChat};

/// One folder with the files of one conversation. No other conversation reads or writes them.
#[derive(Debug)]
pub struct SessionFiles {
    folder: PathBuf,
    notices: Notices,
    /// `memory.json`: what it knows.
    pub memory: File<Memory>,
    /// `input_history.json`: what was said last.
    pub history: File<History>,
    /// `artifact.json`: all observations of the latest turn that acted.
    pub artifact: File<Artifact>,
    /// `outputs.json`: what the files in `output/` bring.
    pub(super) outputs: File<Outputs>,
    /// `session.json`: what has come into the conversation that history and artifact hold.
    pub session: File<Entered>,
    /// `persona.txt`: the name of the persona that answers; nothing for the default one.
    pub persona: File<Text>,
    /// `chat.json`: which conversation this is, of those that were put away before.
    pub chat: File<OpenChat>,
    /// `workbench.json`: what is being done at the workbench, while it is open.
    pub task: File<Task>,
    /// `memory.md` and its archive: what was noted of it.
    pub notes: Notebook,
    /// `journal.jsonl` and `log/`: all that was said and done.
    pub journal: Journal,
}

impl SessionFiles {
    /// Opens the files in `folder`, which is made if it is missing. If it can't be, that is a notice, and the
    /// conversation is kept in memory.
    #[must_use]
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let notices = Notices::default();
        let files = Self {
            memory: File::new(folder.join("memory.json"), &notices),
            history: File::new(folder.join("input_history.json"), &notices),
            artifact: File::new(folder.join("artifact.json"), &notices),
            outputs: File::new(folder.join("outputs.json"), &notices),
            session: File::new(folder.join("session.json"), &notices),
            persona: File::new(folder.join("persona.txt"), &notices),
            chat: File::new(folder.join("chat.json"), &notices),
            task: File::new(folder.join("workbench.json"), &notices),
            notes: Notebook::open(&folder, &notices),
            journal: Journal::new(&folder, &notices),
            folder,
            notices,
        };
        if let Err(error) = home::file::make_folder(&files.output()) {
            files.notices.add(SaveError::from(error).to_string());
        }
        files
    }

    /// What has come into the conversation that is kept here. If there is one and nobody knows, that is both
    /// untrusted text and private data.
    #[must_use]
    pub fn entered(&self) -> Entered {
        let known = self.session.read();
        if *known != Entered::default() {
            return Entered::clone(&known);
        }
        let is_empty = self.history.read().entries().is_empty()
            && self.artifact.read().0.is_empty()
            && self.task.read().is_new();
        if is_empty {
            return Entered::nothing();
        }
        self.notices.add(
            "nobody knows what has come into the conversation that is kept here, so it counts as private \
             and as written by others; /new starts afresh",
        );
        Entered::default()
    }

    /// The folder itself.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The conversations that were put away.
    #[must_use]
    pub fn chats(&self) -> Chats {
        Chats::in_folder(self.folder.join("chats"))
    }

    /// How often which turns were found again.
    #[must_use]
    pub fn recalled(&self) -> File<notes::Uses> {
        File::new(self.folder.join("memory-recalled.json"), &self.notices)
    }

    /// The conversations that were put away in `folder`, and the number of the one that is open there.
    #[must_use]
    pub fn chats_of(folder: &Path, notices: &Notices) -> (Chats, Option<u64>) {
        let open = File::<OpenChat>::new(folder.join("chat.json"), notices).read().number;
        (Chats::in_folder(folder.join("chats")), open)
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
        if let Err(error) = write_over(&self.prompt_cache(), prompt.as_bytes()) {
            let error = home::FileError::new("write", &self.prompt_cache(), error);
            self.notices.add(SaveError::from(error).to_string());
        }
    }

    /// What people should hear of the files since this was asked last.
    #[must_use]
    pub fn take_notices(&self) -> Vec<Notice> {
        self.notices.take()
    }
}

/// Writes over what a file holds, and cuts off what is left of that: to empty it first takes the file system longer
/// than everything else here.
fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // It holds what memory and history hold, which nobody else may read either.
    let mut options = fs::OpenOptions::new();
    let mut file = options.create(true).write(true).truncate(false).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}
