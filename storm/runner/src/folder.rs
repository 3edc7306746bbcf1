//! The files in the folder of a storm, and those of agents wherever they stand.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use home::{FileError, file};
use storm::{Agent, AgentFile, Name};

use crate::error::ShelfError;

/// How long the file of an agent, a premise or a whole session may be, in bytes.
const LIMIT: u64 = 16 * 1024 * 1024;

/// The folder of a storm's agents.
pub(crate) const AGENTS: &str = "Agents";
/// How the name of a log ends.
pub(crate) const LOG: &str = ".log.md";
/// How the name of a premise ends.
pub(crate) const PREMISE: &str = ".ini.md";

/// Files that should be agents', by their names without the ending, and what each of them is.
pub type AgentFiles = Vec<(String, Result<Agent, ShelfError>)>;

/// The agents of a folder, by the names of their files.
///
/// # Errors
/// [`ShelfError`] of the first file that is no agent's.
pub fn agents(folder: &Path) -> Result<Vec<Agent>, ShelfError> {
    let files = agent_files(folder)?;
    files.into_iter().map(|(_, agent)| agent).collect()
}

/// The files of a folder that should be agents', by their names without the ending, and what each of them is.
///
/// # Errors
/// [`FileError`] when the folder can't be listed.
pub fn agent_files(folder: &Path) -> Result<AgentFiles, FileError> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(name) = file.strip_suffix(".md").filter(|name| !name.starts_with('.')) {
            files.push((name.to_owned(), agent(name, &path)));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(files)
}

fn agent(name: &str, path: &Path) -> Result<Agent, ShelfError> {
    let name = Name::new(name).map_err(|why| broken(path, &why))?;
    let text = read(path)?.ok_or_else(|| broken(path, &"it is gone"))?;
    let file =
        AgentFile::read(&text).map_err(|why| ShelfError::NoAgent { path: path.to_owned(), why })?;
    Ok(Agent { name, file })
}

/// The file of an agent in a folder of agents.
#[must_use]
pub fn agent_path(folder: &Path, name: &Name) -> PathBuf {
    folder.join(format!("{name}.md"))
}

/// What stands in a folder; nothing if it is not there.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let read = match fs::read_dir(folder) {
        Ok(read) => read,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::new("read", folder, error)),
    };
    let paths = read.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<io::Result<_>>().map_err(|error| FileError::new("read", folder, error))
}

/// The text of a file; none if it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<String>, ShelfError> {
    let Some(bytes) = file::read(path, LIMIT)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| broken(path, &"it is not UTF-8"))
}

/// What is wrong with a file.
pub(crate) fn broken(path: &Path, why: &dyn std::fmt::Display) -> ShelfError {
    ShelfError::Broken { path: path.to_owned(), why: why.to_string() }
}
