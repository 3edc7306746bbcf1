//! Which files of a home belong into a backup.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::BackupError;

/// The parts of a home. What else lies in the folder is the owner's, such as the source of the program.
const ROOMS: [&str; 5] = [".env", home::format::FILE, "workspace", "agent", "router"];

/// The files that hold secrets.
const SECRETS: [&str; 2] = [".env", "router/.env"];

/// What can be made again, or tells of the past alone: logs, the library's index, what the last prompt was.
const LEFT_OUT: [&str; 8] = [
    "router/log",
    "router/state/snapshots",
    "router/state/window.key",
    "router/state/metrics.token",
    "workspace/agent.log",
    "workspace/agent.log.1",
    "workspace/output/prompt_cache.txt",
    "workspace/console_history.txt",
];

/// What is made again: locks, the index of a library, and what a writer left that was killed.
fn is_made_again(name: &str) -> bool {
    name.ends_with(".lock") || name.starts_with("library.db") || name.starts_with(".draft-")
}

/// The paths in the home of all files that belong into a backup, sorted. Links, sockets and pipes don't.
pub(crate) fn files(root: &Path, with_secrets: bool) -> Result<Vec<PathBuf>, BackupError> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = ROOMS.iter().map(PathBuf::from).collect();
    while let Some(path) = open.pop() {
        let full = root.join(&path);
        let Ok(meta) = fs::symlink_metadata(&full) else { continue };
        let text = path.to_string_lossy();
        let is_secret = SECRETS.contains(&&*text);
        if LEFT_OUT.contains(&&*text) || (is_secret && !with_secrets) {
            continue;
        }
        if meta.is_dir() {
            let entries = fs::read_dir(&full).map_err(BackupError::io("cannot read", &full))?;
            for entry in entries {
                let name = entry.map_err(BackupError::io("cannot read", &full))?.file_name();
                open.push(path.join(name));
            }
        } else if meta.is_file() {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            // A name that is no text can't stand in the list.
            let is_text = std::str::from_utf8(path.as_os_str().as_bytes()).is_ok();
            if is_text && !is_made_again(&name) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
