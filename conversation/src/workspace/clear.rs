//! Forgetting what was said and done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use home::{FileError, Home};

use super::SESSIONS;

/// Removes of every conversation the artifact, the history with what had come in, the journal and the generated files, and the
/// log, and gives what was there. Memories, soul, template and descriptions stay.
///
/// # Errors
/// [`FileError`] names what could not be removed; what stands before it is gone.
pub fn clear(home: &Home) -> Result<Vec<PathBuf>, FileError> {
    let workspace = home.workspace();
    let mut removed = Vec::new();
    files(&workspace, &mut removed)?;
    for session in session_folders(&workspace.join(SESSIONS))? {
        files(&session, &mut removed)?;
    }
    remove(workspace.join("console_history.txt"), fs::remove_file, &mut removed)?;
    for log in [home.agent_log(), home.agent_log_before()] {
        remove(log, fs::remove_file, &mut removed)?;
    }
    Ok(removed)
}

/// Removes what writers that were killed left behind in the workspace and its conversations. Call it only while no other
/// agent works there.
pub fn remove_drafts(workspace: &Path) {
    let folders = session_folders(&workspace.join(SESSIONS)).map(|mut folders| {
        folders.push(workspace.to_owned());
        folders
    });
    let removed = folders.and_then(|folders| {
        folders.iter().try_for_each(|folder| home::file::remove_drafts(folder))
    });
    if let Err(error) = removed {
        tracing::warn!(%error, "what a killed agent left behind stays");
    }
}

/// The folders of the conversations that are not the owner's, in `folder`.
///
/// # Errors
/// [`FileError`] when it can't be read; one that is not there is empty.
pub fn session_folders(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |error| FileError::new("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let paths: Result<Vec<PathBuf>, io::Error> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| path.is_dir() && !path.is_symlink());
    paths.sort();
    Ok(paths)
}

fn files(folder: &Path, removed: &mut Vec<PathBuf>) -> Result<(), FileError> {
    // What has come in is forgotten last: it has to stay as long as any of the texts.
    remove(folder.join("chats"), fs::remove_dir_all, removed)?;
    for name in [
        "artifact.json",
        "workbench.json",
        "input_history.json",
        "journal.jsonl",
        "chat.json",
        "session.json",
    ] {
        remove(folder.join(name), fs::remove_file, removed)?;
    }
    remove(folder.join("log"), fs::remove_dir_all, removed)?;
    remove(folder.join("files"), fs::remove_dir_all, removed)?;
    remove(folder.join("output"), fs::remove_dir_all, removed)
}

fn remove(
    path: PathBuf,
    how: fn(PathBuf) -> io::Result<()>,
    removed: &mut Vec<PathBuf>,
) -> Result<(), FileError> {
    match how(path.clone()) {
        Ok(()) => removed.push(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FileError::new("remove", &path, error)),
    }
    Ok(())
}
