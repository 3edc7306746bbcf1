//! Which files of a home belong into a backup.

use std::fs;
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

/// Where the programs of the owner's skills are.
pub(crate) const SKILLS: &str = "router/skills";

/// Where the owner, a skill or a model gives the names: a lock file there is no lock of ours.
const OTHERS: [&str; 3] = [SKILLS, "router/data", "workspace/files"];

/// Where the library is. Its index is made again from the texts.
const LIBRARY: &str = "router/data/library";

/// What is made again: locks, the index of a library, and what a writer left that was killed.
fn is_made_again(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let is_in = |folder: &str| path.starts_with(folder);
    // What a model writes lies in `output`, in each conversation's folder.
    let is_others = || {
        OTHERS.iter().any(|folder| is_in(folder)) || path.iter().any(|folder| folder == "output")
    };
    (is_in(LIBRARY) && name.starts_with("library.db"))
        || ((name.ends_with(".lock") || name.starts_with(".draft-")) && !is_others())
}

/// What of a home belongs into a backup.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// The paths in the home, sorted.
    pub(crate) files: Vec<PathBuf>,
    /// What people may miss, with the reason.
    pub(crate) left_out: Vec<String>,
}

/// All files of the home at `root` that belong into a backup. Links, sockets and pipes don't; links are told of, because people
/// make them.
pub(crate) fn files(root: &Path, with_secrets: bool) -> Result<Chosen, BackupError> {
    let mut chosen = Chosen::default();
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
            let entries = fs::read_dir(&full).map_err(BackupError::io("read", &full))?;
            for entry in entries {
                let name = entry.map_err(BackupError::io("read", &full))?.file_name();
                open.push(path.join(name));
            }
        } else if meta.is_file() && !is_made_again(&path) {
            if can_be_listed(&path) {
                chosen.files.push(path);
            } else {
                let why = "its name is no text, or holds control characters; rename it to keep it";
                chosen.left_out.push(format!("{path:?}: {why}"));
            }
        } else if meta.is_symlink() {
            let why = "a link; back up by yourself what it leads to";
            chosen.left_out.push(format!("{path:?}: {why}"));
        }
    }
    chosen.files.sort();
    chosen.left_out.sort();
    Ok(chosen)
}

/// Whether a path can stand in the list of a backup: it is a text, and nothing in it moves a cursor.
fn can_be_listed(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.chars().any(char::is_control))
}
