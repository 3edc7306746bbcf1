//! Forgetting what was said and done.

use std::fs;
use std::io;
use std::path::PathBuf;

use home::{FileError, Home};

use crate::log;

/// Removes the artifact, the history with what had come in, the generated files and the log, and gives what was there. Memory,
/// soul, template and descriptions stay.
///
/// # Errors
/// [`FileError`] names what could not be removed; what stands before it is gone.
pub fn clear(home: &Home) -> Result<Vec<PathBuf>, FileError> {
    let workspace = home.workspace();
    let mut removed = Vec::new();
    // What has come in is forgotten last: it has to stay as long as any of the texts.
    for name in ["artifact.json", "input_history.json", "session.json", "console_history.txt"] {
        remove(workspace.join(name), fs::remove_file, &mut removed)?;
    }
    for log in [home.agent_log(), log::set_aside(&home.agent_log())] {
        remove(log, fs::remove_file, &mut removed)?;
    }
    remove(workspace.join("output"), fs::remove_dir_all, &mut removed)?;
    Ok(removed)
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
