//! One storm that is open: what it is about, who speaks in it, what was said, and where it goes on.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use home::{FileError, file};
use storm::{Cast, CastError, Name, Premise};

use super::log_file::LogFile;
use crate::error::ShelfError;
use crate::folder::{AGENTS, LOG, PREMISE, read};

/// One storm, as it was read.
#[derive(Debug)]
pub struct Stored {
    /// Its name.
    pub name: Name,
    /// Its folder.
    pub folder: PathBuf,
    /// What it is about.
    pub premise: Premise,
    /// Who takes turns, by the names of their files; or why nobody can.
    pub cast: Result<Cast, CastError>,
    /// What was said.
    pub log: LogFile,
}

/// A storm goes on here and nowhere else, until this is dropped or the process ends.
#[derive(Debug)]
pub struct Running {
    _held: File,
}

impl Stored {
    /// Who takes turns.
    pub fn cast(&self) -> Result<&Cast, ShelfError> {
        let refused =
            |why: &CastError| ShelfError::Cast { name: self.name.clone(), why: why.clone() };
        self.cast.as_ref().map_err(refused)
    }

    /// Lets it go on here and nowhere else.
    pub fn run(&self) -> Result<Running, ShelfError> {
        let running = hold(&self.name, &self.folder)?;
        // What was meant for whoever ran before.
        let _ = fs::remove_file(self.stop_file());
        Ok(running)
    }

    /// Whether it goes on somewhere.
    pub fn is_running(&self) -> bool {
        matches!(hold(&self.name, &self.folder), Err(ShelfError::Running(_)))
    }

    /// Asks whoever lets it go on to stop after the present speaker; says whether there is somebody.
    pub fn stop(&self) -> Result<bool, ShelfError> {
        match self.run() {
            Ok(_) => Ok(false),
            Err(ShelfError::Running(_)) => {
                file::write(&self.stop_file(), b"")?;
                Ok(true)
            }
            Err(other) => Err(other),
        }
    }

    /// Whether somebody has asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop_file().exists()
    }

    /// The file of what it is about.
    pub(crate) fn premise_file(&self) -> PathBuf {
        let log = self.log.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.folder.join(format!("{}{PREMISE}", log.strip_suffix(LOG).unwrap_or(log)))
    }

    /// The folder of its agents' files.
    #[must_use]
    pub fn agents_folder(&self) -> PathBuf {
        self.folder.join(AGENTS)
    }

    fn stop_file(&self) -> PathBuf {
        self.folder.join(".stop")
    }

    /// How many tokens its agents have taken by now, as far as it is known.
    pub fn spent(&self) -> u64 {
        let text = read(&self.spent_file()).ok().flatten().unwrap_or_default();
        text.trim().parse().unwrap_or_default()
    }

    /// Adds to what its agents have taken.
    pub fn spend(&self, tokens: u64) -> Result<(), FileError> {
        let spent = self.spent().saturating_add(tokens);
        file::write(&self.spent_file(), format!("{spent}\n").as_bytes())
    }

    fn spent_file(&self) -> PathBuf {
        self.folder.join(".tokens")
    }
}

/// Holds the storm in `folder` still, until this is dropped or the process ends.
pub(crate) fn hold(name: &Name, folder: &Path) -> Result<Running, ShelfError> {
    let held = File::open(folder).map_err(|error| FileError::new("read", folder, error))?;
    match held.try_lock() {
        Ok(()) => Ok(Running { _held: held }),
        Err(fs::TryLockError::WouldBlock) => Err(ShelfError::Running(name.clone())),
        Err(fs::TryLockError::Error(error)) => Err(FileError::new("lock", folder, error).into()),
    }
}
